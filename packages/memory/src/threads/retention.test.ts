import { Agent, type Message } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { ScriptedModel } from '@millrace/testing'
import { beforeEach, describe, expect, test } from 'vitest'
import { lines, saidByAssistant, saidByUser } from '../../test/texts.ts'
import { Memory } from '../memory.ts'
import type { RetentionOptions } from './retention.ts'

const key = { threadId: 'talk', resourceId: 'ada' }
let storage: InMemoryStore

beforeEach(() => {
  storage = new InMemoryStore()
})

test('keeps the last turns, and deletes the others when a turn is saved', async () => {
  const { agent, memory } = agentWith({ turns: 2 })
  for (const text of ['one', 'two', 'three']) {
    await agent.generate(text, key)
    await agent.close()
  }
  expect(lines(await memory.getMessages(key))).toEqual([
    'user: two',
    'assistant: fine',
    'user: three',
    'assistant: fine',
  ])
  expect(await storage.searchMessages({ resourceId: 'ada', query: 'one' })).toEqual([])
})

test('keeps messages for some days, also in inactive threads', async () => {
  const { memory } = agentWith({ days: 30 })
  for (const threadId of ['a', 'b']) {
    await memory.saveMessages([aged(saidByUser('old'), 31), aged(saidByAssistant('new'), 29)], {
      ...key,
      threadId,
    })
  }
  await memory.saveMessages([aged(saidByUser('old'), 31)], { ...key, resourceId: 'ben' })
  expect(await memory.applyRetention({ resourceId: 'ada' })).toBe(2)
  expect(await memory.applyRetention({ resourceId: 'ada' })).toBe(0)
  expect(lines(await memory.getMessages({ ...key, threadId: 'b' }))).toEqual(['assistant: new'])
  expect(await memory.getMessages({ ...key, resourceId: 'ben' })).toHaveLength(1)
})

test('deletes all expired messages of a long thread, in order', async () => {
  const { memory } = agentWith({ turns: 3, days: 30 })
  const old = Array.from({ length: 450 }, (_, index) => aged(saidByUser(`old ${index}`), 31))
  const recent = Array.from({ length: 450 }, (_, index) => aged(saidByUser(`new ${index}`), 1))
  await memory.saveMessages([...old, ...recent], key)
  expect(await memory.applyRetention({ resourceId: 'ada' })).toBe(897)
  expect(lines(await memory.getMessages(key))).toEqual(['user: new 447', 'user: new 448', 'user: new 449'])
})

test('deletes notes with their messages', async () => {
  const { memory } = agentWith({ turns: 1 })
  await memory.saveMessages([saidByUser('one'), saidByAssistant('two'), saidByUser('three')], key)
  await memory.observe(key)
  await memory.applyRetention({ resourceId: 'ada' })
  expect(await memory.getObservations(key)).toEqual([])
})

describe('throws on invalid options', () => {
  test.each<[RetentionOptions, RegExp]>([
    [{}, /retention is empty/],
    [{ days: 0 }, /retention.days is 0/],
    [{ turns: 1.5 }, /retention.turns is 1.5/],
  ])('%j', (retention, message) => {
    expect(() => new Memory({ storage, retention })).toThrow(message)
  })
})

function agentWith(retention: RetentionOptions) {
  const memory = new Memory({
    storage,
    retention,
    observations: { countTokens: (text) => text.length, observe: () => [{ text: 'noted' }] },
  })
  return { memory, agent: new Agent({ model: new ScriptedModel(['fine'], { repeat: 'last' }), memory }) }
}

function aged(message: Message, days: number): Message {
  return { ...message, createdAt: new Date(Date.now() - days * 86_400_000) }
}
