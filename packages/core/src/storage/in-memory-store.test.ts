import { expect, test } from 'vitest'
import { userMessage } from '../messages/input.ts'
import { InMemoryStore } from './in-memory-store.ts'

test('keeps messages in order and finds them by words', async () => {
  const store = new InMemoryStore()
  const messages = ['The deadline is Friday', 'Bring the red umbrella'].map((text) => userMessage(text))
  const thread = await store.saveMessages({ threadId: 't', resourceId: 'ada', messages })
  expect(thread).toMatchObject({ id: 't', messageCount: 2, version: 1 })
  const page = await store.listMessages({ threadId: 't', resourceId: 'ada', order: 'desc', limit: 1 })
  expect(page).toMatchObject({ items: [{ sequence: 2 }], nextCursor: expect.any(String) })
  const [hit] = await store.searchMessages({ resourceId: 'ada', query: 'umbrellas' })
  expect(hit?.message.id).toBe(messages[1]?.id)
  expect(await store.searchMessages({ query: 'umbrella' })).toEqual([])
})

test('lists the messages before a message, and all if there is no such message', async () => {
  const store = new InMemoryStore()
  const messages = ['one', 'two', 'three', 'four'].map((text) => userMessage(text))
  const ids = messages.map(({ id }) => id)
  await store.saveMessages({ threadId: 't', messages })

  const newest = await store.listMessages({ threadId: 't', order: 'desc', limit: 1, before: ids[2] })
  expect(newest.items.map(({ message }) => message.id)).toEqual([ids[1]])
  const { nextCursor: cursor } = newest
  const older = await store.listMessages({ threadId: 't', order: 'desc', limit: 9, before: ids[2], cursor })
  expect(older.items.map(({ message }) => message.id)).toEqual([ids[0]])
  const oldest = await store.listMessages({ threadId: 't', before: ids[2] })
  expect(oldest.items.map(({ message }) => message.id)).toEqual(ids.slice(0, 2))
  expect(oldest.nextCursor).toBeUndefined()
  expect((await store.listMessages({ threadId: 't', before: 'unknown' })).items).toHaveLength(4)
})
