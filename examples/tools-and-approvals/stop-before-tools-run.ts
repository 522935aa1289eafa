/** Ends the run before a tool that writes is executed. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const readOnly: Processor = {
  id: 'read-only',
  processOutputStep({ toolCalls, halt }) {
    const writes = toolCalls.some(({ toolName }) => toolName === 'write')
    if (writes) halt('I may only read today.', { reason: 'It tried to write.' })
  },
}

let written = 0
const write = tool({ inputSchema: z.object({}), execute: () => ++written })
const agent = new Agent({
  // A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
  model: new ScriptedModel([toolCall('write', {})]),
  tools: { write },
  processors: [readOnly],
})
const { status, text } = await agent.generate('Write it.')
console.log(status, text) // halted I may only read today.
assert.equal(status, 'halted')
assert.equal(written, 0)
