import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testStorage } from '@millrace/testing'
import { afterAll } from 'vitest'
import { LibSQLStore } from './libsql-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-'))
afterAll(() => rmSync(folder, { recursive: true }))

testStorage('libsql', { create: () => new LibSQLStore({ url: ':memory:' }) })
testStorage('libsql, file', { create: (name) => new LibSQLStore({ url: `file:${join(folder, name)}` }) })
