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
