import { LibSQLStore } from '@millrace/store-libsql'
import { testStorage, testStorageInProcesses } from '@millrace/testing'
import { create, remove } from './open-store.ts'

testStorage('libsql in memory', { create: () => new LibSQLStore({ url: ':memory:' }) })
testStorage('libsql in a file', { create, remove })
testStorageInProcesses('libsql', { module: new URL('./open-store.ts', import.meta.url) })
