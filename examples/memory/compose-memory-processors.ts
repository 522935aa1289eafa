/** Uses history, recall, working memory and persistence as separate processors. */
import assert from 'node:assert/strict'
import { Agent, userMessage } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import {
  MessageHistoryProcessor,
  MessagePersistenceProcessor,
  SemanticRecallProcessor,
  WorkingMemoryProcessor,
} from '@millrace/memory'
import { ScriptedModel } from '@millrace/testing'

const storage = new InMemoryStore()
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const notes = new ScriptedModel([JSON.stringify({ name: 'Ada' })], { repeat: 'last' })
const facts = new WorkingMemoryProcessor({ storage, template: 'Name: {{name}}', model: notes })
const model = new ScriptedModel(['Nice to meet you, Ada.', 'In the orchard, Ada.'])
const agent = new Agent({
  model,
  inputProcessors: [
    new MessageHistoryProcessor({ storage, lastMessages: 2 }),
    new SemanticRecallProcessor({ storage }),
    facts,
  ],
  outputProcessors: [new MessagePersistenceProcessor({ storage }), facts],
})

// Another conversation of the same user.
const messages = [userMessage('My hives are in the orchard.')]
await storage.saveMessages({ threadId: 'bees', resourceId: 'user-1', messages })

await agent.generate('I am Ada.', { threadId: 'today', resourceId: 'user-1' })
await agent.close() // facts are noted in the background
await agent.generate('Where are my hives?', { threadId: 'today', resourceId: 'user-1' })
const prompt = JSON.stringify(agent.getLastMessages())
console.log(prompt)
assert.match(prompt, /My hives are in the orchard/) // recalled
assert.match(prompt, /Name: Ada/) // known
assert.match(prompt, /Nice to meet you/) // said before
