/** Sets a high reasoning effort for the first step only. */
import assert from 'node:assert/strict'
import { Agent, type Processor, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { z } from 'zod'

/** High effort in the first step, low effort after the tools have answered. */
const effort: Processor = {
  id: 'effort',
  processInputStep: ({ stepNumber, providerOptions }) => ({
    providerOptions: { ...providerOptions, openai: { reasoningEffort: stepNumber === 0 ? 'high' : 'low' } },
  }),
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([toolCall('search', {}), 'Found it.'])
const agent = new Agent({
  model,
  tools: { search: tool({ inputSchema: z.object({}), execute: () => 'a result' }) },
  processors: [effort],
})
await agent.generate('Find it.')

const efforts = model.calls.map(({ providerOptions }) => providerOptions?.openai?.reasoningEffort)
console.log(efforts) // [ 'high', 'low' ]
assert.deepEqual(efforts, ['high', 'low'])
