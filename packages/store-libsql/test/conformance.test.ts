import { LibSQLStore } from '@millrace/store-libsql'
import { testStorage, testStorageInProcesses } from '@millrace/testing'
import { create, remove } from './open-store.ts'

const isThorough = process.env.MILLRACE_THOROUGH === '1'

testStorage('libsql in memory', { create: () => new LibSQLStore({ url: ':memory:' }) })
testStorage('libsql in a file', { create, remove })
testStorageInProcesses('libsql', {
  module: new URL('./open-store.ts', import.meta.url),
  // The SQL is that of SQLiteStore, whose processes are killed more often.
  kills: isThorough ? undefined : 2,
})
