/** Retries after a rate limit, and after a connection that breaks within an answer. */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { fail, rateLimited, ScriptedModel } from '@millrace/testing'

/** `modelSettings.maxRetries` covers errors before the first content. This covers errors after it. */
const tryAgain: Processor = { id: 'try-again', processModelError: () => ({ retry: true }) }

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel([
  rateLimited({ retryAfterMs: 1 }),
  ['Half an ans', fail(new Error('connection reset'))],
  'A whole answer.',
])
const { text } = await new Agent({ model, processors: [tryAgain] }).generate('Go on.')
console.log(text, model.callCount) // A whole answer. 3
assert.equal(text, 'A whole answer.')
