/** Normalizes look-alike characters and white space before the model reads them. */
import assert from 'node:assert/strict'
import { Agent } from '@millrace/core'
import { UnicodeNormalizer } from '@millrace/guards/unicode-normalizer'
import { ScriptedModel } from '@millrace/testing'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['It is there.'])
const agent = new Agent({ model, inputProcessors: [new UnicodeNormalizer({ whitespace: 'collapse' })] })
await agent.generate('Where\u00a0 is the \u200bﬁle?')

console.log(model.lastPrompt[0]?.content) // [ { type: 'text', text: 'Where is the file?' } ]
assert.deepEqual(model.lastPrompt[0]?.content, [{ type: 'text', text: 'Where is the file?' }])
