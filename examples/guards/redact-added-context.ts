/** Redacts what another processor has added to the input. */
import assert from 'node:assert/strict'
import { Agent, type Processor } from '@millrace/core'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel } from '@millrace/testing'

/** Adds a customer's record to the input. The detector after it redacts that too. */
const record: Processor = {
  id: 'record',
  processInput: ({ messages }) =>
    messages.map((message) => ({
      ...message,
      content: { parts: [...message.content.parts, { type: 'text', text: 'Customer: ada@example.com' }] },
    })),
}

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['She is a customer.'])
await new Agent({ model, processors: [record, new PIIDetector()] }).generate('Who is she?')
console.log(model.lastPrompt[0]?.content)
assert.match(JSON.stringify(model.lastPrompt), /Customer: \*\*\*@\*\*\*\.\*\*\*/)
