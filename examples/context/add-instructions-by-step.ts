/** Adds instructions for the steps after a tool call. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const citeSources: Processor = {
  id: 'cite-sources',
  processInputStep({ steps, systemMessages }) {
    if (!steps.at(-1)?.toolResults.length) return undefined
    return { systemMessages: [...systemMessages, { role: 'system', content: 'Name your sources.' }] }
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([toolCall('search', {}), 'Yes (example.com).'])
const agent = new Agent({
  model,
  instructions: 'Answer briefly.',
  tools: { search: tool({ inputSchema: z.object({}), execute: () => 'example.com says yes' }) },
  processors: [citeSources],
})
await agent.generate('Is it so?')

const systemOf = (call: number) =>
  model.calls[call]?.prompt.flatMap(({ role, content }) => (role === 'system' ? [content] : []))
console.log(systemOf(0), systemOf(1)) // [ 'Answer briefly.' ] [ 'Answer briefly.', 'Name your sources.' ]
assert.deepEqual(systemOf(0), ['Answer briefly.'])
assert.deepEqual(systemOf(1), ['Answer briefly.', 'Name your sources.'])
