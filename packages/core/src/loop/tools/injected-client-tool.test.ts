import { ScriptedModel, toolCall } from '@millrace/testing'
import { expect, test } from 'vitest'
import { Agent } from '../../agent/agent.ts'

test('a tool that a processor adds and the client runs suspends the run, and its output is used', async () => {
  const ask = { inputSchema: { _type: undefined, jsonSchema: { type: 'object' as const } } }
  const agent = new Agent({
    model: new ScriptedModel([toolCall('ask', {}), 'Done.']),
    processors: [{ id: 'inject', processInputStep: ({ tools }) => ({ tools: { ...tools, ask } }) }],
  })
  const waiting = await agent.generate('Hello')
  expect(waiting.status).toBe('suspended')
  const result = await agent.resume(waiting.runId, '42')
  expect(result).toMatchObject({ status: 'completed', text: 'Done.' })
})
