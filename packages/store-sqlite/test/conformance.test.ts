import { SQLiteStore } from '@millrace/store-sqlite'
import { testStorage, testStorageInProcesses } from '@millrace/testing'
import Database from 'better-sqlite3'
import { create, remove } from './open-store.ts'

testStorage('sqlite', { create: () => new SQLiteStore({ path: ':memory:' }) })
testStorage('sqlite in a file', { create, remove })
testStorage('sqlite in a database of the application', {
  create: () => {
    const database = new Database(':memory:')
    database.defaultSafeIntegers()
    database.exec('CREATE TABLE messages (id TEXT); PRAGMA user_version = 7')
    return new SQLiteStore({ database, migrate: 'manual' })
  },
})
testStorageInProcesses('sqlite', { module: new URL('./open-store.ts', import.meta.url) })
