import type { Message } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { SQLiteStore } from '@millrace/store-sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'

const store = new SQLiteStore({ path: ':memory:' })
const reference = new InMemoryStore()
const model = 'model'

beforeAll(async () => {
  for (let thread = 0; thread < 24; thread++) {
    const key = { threadId: `thread-${thread}`, resourceId: 'ada' }
    const messages = Array.from({ length: 1_000 }, (_, index): Message => {
      const role = index % 2 === 0 ? 'user' : 'assistant'
      const content: Message['content'] = { parts: [{ type: 'text', text: 'umbrella' }] }
      return { id: `${index}`, role, content, createdAt: new Date(0) }
    })
    // Many are equal: their order is that of saving.
    const vectors = messages.map(({ id }, index) => ({
      messageId: id,
      vector: [thread % 5, index % 7, 1],
    }))
    for (const one of [store, reference]) {
      await one.saveMessages({ ...key, messages })
      await one.saveVectors({ ...key, model, vectors })
    }
  }
})
afterAll(() => store.close())

test.each([
  {},
  { limit: 500 },
  { role: 'user' as const, limit: 50 },
  { minScore: 0.999 },
  { minScore: 2 },
  { threadId: 'thread-7' },
])('a search over several slices of vectors finds the same as the reference: %o', async (options) => {
  const search = { resourceId: 'ada', model, vector: [0.3, 0.7, 0.2], ...options }
  const [hits, expected] = await Promise.all([store.searchVectors(search), reference.searchVectors(search)])
  expect(hits.map(({ message }) => [message.threadId, message.id])).toEqual(
    expected.map(({ message }) => [message.threadId, message.id]),
  )
})

test('comparing many vectors yields to the event loop', async () => {
  let isOver = false
  let turns = 0
  const search = store.searchVectors({ resourceId: 'ada', model, vector: [1, 0, 0] }).finally(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 0))
    turns++
  }
  expect(await search).toHaveLength(10)
  expect(turns).toBeGreaterThan(1)
})
