/** Asks the model again after a harmful answer. */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { profanitySieve } from '@millrace/guards/moderation'
import { ScriptedModel } from '@millrace/testing'

const moderation = profanitySieve()

/** Lets the model answer again if the answer is harmful. */
const moderate: Processor = {
  id: 'moderate',
  async processOutputStep({ text, abort, abortSignal }) {
    const [judgement] = await moderation.check([text], { abortSignal })
    if (judgement?.flagged) abort('Answer again, without threats.', { retry: true })
  },
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['I will kill you.', 'I would rather not.'])
const { text } = await new Agent({ model, processors: [moderate] }).generate('Say something.')
console.log(text) // I would rather not.
assert.equal(text, 'I would rather not.')
