/** Denies a write to a file that was not read before. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** Requires that a file is read before it is written. */
const readFirst: Processor = {
  id: 'read-first',
  processToolCall({ toolCall, state }) {
    const read = (state.read ?? []) as string[]
    const { path } = toolCall.input as { path: string }
    if (toolCall.toolName === 'read') state.read = [...read, path]
    else if (!read.includes(path)) return { deny: `Read ${path} before you write to it.` }
    return undefined
  },
}

const path = z.object({ path: z.string() })
const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([
    toolCall('write', { path: 'a.md' }),
    toolCall('read', { path: 'a.md' }),
    toolCall('write', { path: 'a.md' }),
    'Written.',
  ]),
  tools: {
    read: tool({ inputSchema: path, execute: () => 'text' }),
    write: tool({ inputSchema: path, execute: () => 'ok' }),
  },
  processors: [readFirst],
})
const { steps } = await agent.generate('Write a.md.')
const outcomes = steps.flatMap(({ toolResults }) => toolResults.map(({ status }) => status))
console.log(outcomes) // [ 'denied', 'success', 'success' ]
assert.deepEqual(outcomes, ['denied', 'success', 'success'])
