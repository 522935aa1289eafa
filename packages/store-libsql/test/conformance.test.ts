import { LibSQLStore } from '@millrace/store-libsql'
import { testStorage, testStorageInProcesses } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { create, remove } from './open-store.ts'

const isThorough = process.env.MILLRACE_THOROUGH === '1'

testStorage('libsql in a file', { create, remove })

// The SQL and its driver are those of a file.
describe.runIf(isThorough)('thorough', () => {
  testStorage('libsql in memory', { create: () => new LibSQLStore({ url: ':memory:' }) })
})

test('keeps in memory what is stored, over transactions', async () => {
  const store = new LibSQLStore({ url: ':memory:' })
  const key = { threadId: 'thread', resourceId: 'ada' }
  for (const id of ['a', 'b', 'c']) {
    const content = { parts: [{ type: 'text' as const, text: `The mill of ${id}` }] }
    await store.saveMessages({ ...key, messages: [{ id, role: 'user', content, createdAt: new Date(0) }] })
  }
  await store.deleteMessages({ ...key, messageIds: ['b'] })
  const found = await store.searchMessages({ resourceId: 'ada', query: 'mill' })
  expect(found.map(({ message }) => message.id).toSorted()).toEqual(['a', 'c'])
  expect(await new LibSQLStore({ url: ':memory:' }).listThreads({})).toEqual({ items: [] })
  await store.close()
})
testStorageInProcesses('libsql', {
  module: new URL('./open-store.ts', import.meta.url),
  // The SQL is that of SQLiteStore, whose processes are killed more often. `pnpm kills` says how many.
  kills: isThorough || process.env.MILLRACE_KILLS ? undefined : 2,
})
