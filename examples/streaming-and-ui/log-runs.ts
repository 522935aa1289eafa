/** Logs answers, token usage and tool executions from events. */
import assert from 'node:assert/strict'
import { Agent, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const log: string[] = []
const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([toolCall('search', {}), 'Found it.']),
  tools: { search: tool({ inputSchema: z.object({}), execute: () => 'a result' }) },
})
// Listeners are called after the event, outside of the run, and cannot change it.
agent.on('tool-finish', ({ toolName, status }) => log.push(`${toolName}: ${status}`))
agent.on('step-finish', ({ stepNumber, usage }) =>
  log.push(`step ${stepNumber}: ${usage.totalTokens} tokens`),
)
agent.on('run-finish', ({ result }) => log.push(`${result.text} ${result.usage.totalTokens} tokens in all`))

await agent.generate('Find it.')
await agent.close()
console.log(log)
assert.deepEqual(log, [
  'search: success',
  'step 0: 15 tokens',
  'step 1: 15 tokens',
  'Found it. 30 tokens in all',
])
