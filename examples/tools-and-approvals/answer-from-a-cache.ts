/** Answers a tool call from a cache, without executing the tool. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

const rates = new Map([['EUR', 1.08]])

/** Answers from a cache instead of executing the tool. */
const cache: Processor = {
  id: 'cache',
  processToolCall({ toolCall }) {
    const known = rates.get((toolCall.input as { currency: string }).currency)
    return known === undefined ? undefined : { output: known }
  },
}

let executed = 0
const rate = tool({ inputSchema: z.object({ currency: z.string() }), execute: () => ++executed })
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([toolCall('rate', { currency: 'EUR' }), '1.08'])
const { steps } = await new Agent({ model, tools: { rate }, processors: [cache] }).generate('The rate?')
console.log(steps[0]?.toolResults[0]?.status, executed) // success 0
assert.equal(executed, 0)
