/** Remembers a conversation in SQLite. */
import assert from 'node:assert/strict'
import { Agent } from '@millrace/core'
import { Memory } from '@millrace/memory'
import { SQLiteStore } from '@millrace/store-sqlite'
import { ScriptedModel } from '@millrace/testing'

const storage = new SQLiteStore({ path: ':memory:' }) // or a file
const memory = new Memory({ storage, lastMessages: 10 })
// A real model: openai('gpt-5-mini') from '@ai-sdk/openai'.
const model = new ScriptedModel(['Nice to meet you, Ada.', 'You are Ada.'])
const agent = new Agent({ model, memory })

const thread = { threadId: 'thread-1', resourceId: 'user-1' }
await agent.generate('I am Ada.', thread)
const { text } = await agent.generate('Who am I?', thread)
console.log(text, await memory.getThreadById(thread))
assert.equal(model.lastPrompt.length, 3)

// The same thread id with another resource is another thread.
assert.deepEqual(await memory.getMessages({ ...thread, resourceId: 'user-2' }), [])
await storage.close()
