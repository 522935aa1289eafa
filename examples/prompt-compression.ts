/**
 * Prompt compression.
 * Compresses older turns when over budget.
 */
import assert from 'node:assert/strict'
import { Agent, type Message, type Processor, textOfParts, userMessage } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

/** Shows older messages by their beginnings. What is stored stays whole. */
const compress = (keep: number): Processor => ({
  id: 'compress',
  processInputStep: ({ messages }) => ({
    messages: messages.map((message, index) =>
      index < messages.length - keep ? shortened(message) : message,
    ),
  }),
})

function shortened(message: Message): Message {
  const text = textOfParts(message.content.parts)
  return { ...message, content: { parts: [{ type: 'text', text: `${text.slice(0, 12)} …` }] } }
}

const model = new ScriptedModel(['Yes.'])
const old = userMessage('Once upon a time there was a miller who had a daughter.')
await new Agent({ model, processors: [compress(1)] }).generate([old, userMessage('Was there a miller?')])
console.log(model.lastPrompt[0]?.content) // [ { type: 'text', text: 'Once upon a  …' } ]
assert.deepEqual(model.lastPrompt[0]?.content, [{ type: 'text', text: 'Once upon a  …' }])
