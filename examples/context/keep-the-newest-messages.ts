/** Shows the model the newest messages of a history that the application keeps. */
import assert from 'node:assert/strict'
import { HistoryWindow } from '@millrace/context/history-window'
import { Agent, userMessage } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

// The model gets the newest messages of the history. The default of `keep` is half of the context window.
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['Yes.'])
const agent = new Agent({ model, processors: [new HistoryWindow({ keep: { messages: 3 } })] })
const history = Array.from({ length: 10 }, (_, day) => userMessage(`Day ${day}.`))
await agent.generate([...history, userMessage('Does the wheel turn?')])

console.log(model.lastPrompt.length) // 4: three days and the question
assert.equal(model.lastPrompt.length, 4)
assert.match(JSON.stringify(model.lastPrompt[0]), /Day 7/)
