import type { Message } from '@millrace/core'
import { SQLiteStore } from '@millrace/store-sqlite'
import { afterAll, beforeAll, expect, test } from 'vitest'

const store = new SQLiteStore({ path: ':memory:' })
const resourceId = 'ada'

beforeAll(async () => {
  const messages = Array.from({ length: 2_500 }, (_, index) => {
    const rare = index % 500 === 7 ? 'lighthouse' : 'harbour'
    return message(`${index}`, `Weather ${rare} number${index}`)
  })
  await store.saveMessages({ threadId: 'long', resourceId, messages })
  await store.saveMessages({
    threadId: 'short',
    resourceId,
    messages: [message('s', 'Weather and lighthouse')],
  })
  await store.saveMessages({ threadId: 'short', resourceId: 'bob', messages: [message('b', 'Weather')] })
})
afterAll(() => store.close())

test('a common word selects no messages if the query has a rarer one', async () => {
  const found = await store.searchMessages({ resourceId, query: 'weather lighthouse', limit: 100 })
  expect(found.map(({ message: { id } }) => id).toSorted()).toEqual(['1007', '1507', '2007', '507', '7', 's'])
})

test('if all words are common, the newest messages are ranked', async () => {
  const found = await store.searchMessages({ resourceId, query: 'weather', limit: 5_000 })
  expect(found).toHaveLength(2_000)
  expect(found.at(-1)?.message.id).toBe('501')
  expect(found[0]?.message.id).toBe('s')
})

test('a small resource finds words that are common elsewhere', async () => {
  expect(await store.searchMessages({ resourceId: 'bob', query: 'weather' })).toHaveLength(1)
})

test('short and long threads give the same results', async () => {
  const within = { resourceId, query: 'lighthouse', limit: 100 }
  const long = await store.searchMessages({ ...within, threadId: 'long' })
  expect(long.map(({ message: { id } }) => id).toSorted()).toEqual(['1007', '1507', '2007', '507', '7'])
  const short = await store.searchMessages({ ...within, threadId: 'short', query: 'weather' })
  expect(short.map(({ message: { id } }) => id)).toEqual(['s'])
  expect(await store.searchMessages({ ...within, threadId: 'none' })).toEqual([])
})

test('common words are found in a thread, and in older messages', async () => {
  const other = new SQLiteStore({ path: ':memory:' })
  for (const threadId of ['old', 'new']) {
    const messages = Array.from({ length: 2_500 }, (_, index) =>
      message(`${threadId}${index}`, 'Weather', index),
    )
    await other.saveMessages({ threadId, resourceId, messages })
  }
  const common = { resourceId, query: 'weather', limit: 10 }
  const inOld = await other.searchMessages({ ...common, threadId: 'old' })
  expect(inOld.map((hit) => hit.message.id)).toEqual(
    Array.from({ length: 10 }, (_, index) => `old${2_499 - index}`),
  )
  const early = await other.searchMessages({ ...common, createdBefore: new Date(3) })
  expect(early.map((hit) => hit.message.id)).toEqual(['new2', 'new1', 'new0', 'old2', 'old1', 'old0'])
  await other.close()
})

function message(id: string, text: string, createdAt = 0): Message {
  return { id, role: 'user', content: { parts: [{ type: 'text', text }] }, createdAt: new Date(createdAt) }
}
