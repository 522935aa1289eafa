import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testStorage } from '@millrace/testing'
import { afterAll } from 'vitest'
import { SQLiteStore } from './sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-'))
afterAll(() => rmSync(folder, { recursive: true }))

testStorage('sqlite', { create: () => new SQLiteStore({ path: ':memory:' }) })
testStorage('sqlite, file', { create: (name) => new SQLiteStore({ path: join(folder, name) }) })
testStorage('sqlite, migrated by hand', {
  create: () => new SQLiteStore({ path: ':memory:', migrate: 'manual' }),
})
