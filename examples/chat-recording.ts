/**
 * Records final messages for replay.
 */
import assert from 'node:assert/strict'
import { Agent, type Message, type Processor, userMessage } from '@millrace/core'
import { ScriptedModel } from '@millrace/testing'

let recorded = ''
const record: Processor = {
  id: 'record',
  processOutputResult({ messageList }) {
    recorded = JSON.stringify(messageList.get())
  },
}

const agent = new Agent({ model: new ScriptedModel(['It turns.', 'Water.']), processors: [record] })
await agent.generate('Does it turn?')

const replayed = (JSON.parse(recorded) as Message[]).map((message) => ({
  ...message,
  createdAt: new Date(message.createdAt),
}))
console.log(replayed.map(({ role }) => role)) // [ 'user', 'assistant' ]
const { text } = await agent.generate([...replayed, userMessage('What drives it?')])
assert.equal(replayed.length, 2)
assert.equal(text, 'Water.')
