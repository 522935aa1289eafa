import { SQLiteStore } from '@millrace/store-sqlite'
import { testStorage, testStorageInProcesses } from '@millrace/testing'
import Database from 'better-sqlite3'
import { describe, expect, test } from 'vitest'
import { create, remove } from './open-store.ts'

testStorage('sqlite in a file', { create, remove })
testStorage('sqlite in a database of the application', {
  create: () => {
    const database = new Database(':memory:')
    database.defaultSafeIntegers()
    database.exec('CREATE TABLE messages (id TEXT); PRAGMA user_version = 7')
    return new SQLiteStore({ database, migrate: 'manual' })
  },
})

// The SQL and its driver are those of a file.
describe.runIf(process.env.MILLRACE_THOROUGH === '1')('thorough', () => {
  testStorage('sqlite', { create: () => new SQLiteStore({ path: ':memory:' }) })
})

test('keeps in memory what is stored, until it is closed', async () => {
  const store = new SQLiteStore({ path: ':memory:' })
  await store.saveThread({ threadId: 'thread', title: 'Mills' })
  expect((await store.listThreads({})).items).toMatchObject([{ id: 'thread', title: 'Mills' }])
  expect(await new SQLiteStore({ path: ':memory:' }).listThreads({})).toEqual({ items: [] })
  await store.close()
})

testStorageInProcesses('sqlite', { module: new URL('./open-store.ts', import.meta.url) })
