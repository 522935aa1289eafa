/**
 * Manages the history window.
 */
import assert from 'node:assert/strict'
import { Agent, type Processor, userMessage } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

/** Shows the newest messages, and all that this run has made. */
const historyWindow = (count: number): Processor => ({
  id: 'history-window',
  processInputStep({ messages, messageList }) {
    const made = messageList.get('response').length
    return { messages: messages.slice(-count - made) }
  },
})

const model = new ScriptedModel(['Yes.'])
const history = Array.from({ length: 10 }, (_, day) => userMessage(`Day ${day}.`))
await new Agent({ model, processors: [historyWindow(3)] }).generate(history)
console.log(model.lastPrompt.length) // 3
assert.equal(model.lastPrompt.length, 3)
