/** Summarizes old turns when the prompt is over its budget. */
import assert from 'node:assert/strict'
import { Summarization } from '@millrace/context/summarization'
import { Agent, userMessage } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['Yes.'])
const agent = new Agent({
  model,
  processors: [
    new Summarization({
      trigger: { tokens: 400 }, // the budget
      keep: { tokens: 100 },
      model: new ScriptedModel(['A miller had a daughter, and thirty days went by.']), // a small, cheap model
    }),
  ],
})
const history = Array.from({ length: 30 }, (_, day) =>
  userMessage(`On day ${day} the miller had a daughter.`),
)
await agent.generate([...history, userMessage('Was there a miller?')])

console.log(model.lastPrompt.length) // The summary, the newest days and the question: fewer than 31 messages.
assert.match(JSON.stringify(model.lastPrompt[0]), /thirty days went by/)
assert(model.lastPrompt.length < 15)
assert.match(JSON.stringify(model.lastPrompt.at(-1)), /Was there a miller/)
