/** Uses another model after an error, a timeout or a refusal. */
import assert from 'node:assert/strict'
import { Agent } from '@millrace/core'
import { ModelFallback } from '@millrace/steering/model-fallback'
import { fail, ScriptedModel } from '@millrace/testing'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const first = new ScriptedModel([['Half an ans', fail(new Error('connection reset'))]], { modelId: 'first' })
const second = new ScriptedModel(['A whole answer.'], { modelId: 'second' })
const agent = new Agent({
  model: first,
  processors: [
    new ModelFallback({
      models: [second],
      firstChunkTimeout: 20_000,
      isRefusal: (text) => /^I(?:'|’)m sorry/.test(text),
      onFallback: ({ from, to, reason }) => console.log(from, '→', to, reason), // first → second error
    }),
  ],
})

const { text, steps } = await agent.generate('Go on.')
console.log(text) // A whole answer.
assert.equal(text, 'A whole answer.')
assert.equal(steps[0]?.request.modelId, 'second')
