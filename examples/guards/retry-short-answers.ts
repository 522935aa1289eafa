/** Asks the model again after an answer that is too short. */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

const atLeast = (words: number): Processor => ({
  id: 'at-least',
  processOutputStep({ text, abort, retryCount }) {
    if (text.split(/\s+/).length >= words) return
    if (retryCount < 3) abort('Please say more.', { retry: true })
    abort('The answer stayed too short.')
  },
})

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['Yes.', 'Yes, it opens at nine every morning.'])
const agent = new Agent({ model, processors: [atLeast(5)] })

const { text, steps } = await agent.generate('Is it open?')
console.log(text, steps[0]?.discarded[0]?.reason) // Yes, it opens at nine every morning. Please say more.
assert.equal(text, 'Yes, it opens at nine every morning.')
assert.equal(model.callCount, 2)
