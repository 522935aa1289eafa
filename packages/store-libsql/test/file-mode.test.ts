import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import { userMessage } from '@millrace/core'
import { LibSQLStore } from '@millrace/store-libsql'
import { afterEach, beforeEach, expect, test } from 'vitest'

// Modes are of POSIX, and a umask is the whole process's.
const open = (path: string) => new LibSQLStore({ url: `file:${path}` })

let folder: string
let file: string
let umask: number

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-mode-'))
  file = join(folder, 'agents.db')
  umask = process.umask(0o022)
})

afterEach(() => {
  process.umask(umask)
  rmSync(folder, { recursive: true })
})

const modeOf = (path: string): number => statSync(path).mode & 0o777

async function fill(store: LibSQLStore): Promise<void> {
  await store.saveMessages({ threadId: 'thread', messages: [userMessage('Hello')] })
  for (const name of readdirSync(folder)) {
    if (name.includes('.db')) expect([name, modeOf(join(folder, name))]).toEqual([name, 0o600])
  }
  await store.close()
}

test.each([0o000, 0o022, 0o027, 0o277, 0o777])(
  'a new file, its WAL and its index are readable only by their owner, with the umask %i',
  async (mask) => {
    process.umask(mask)
    const store = open(file)
    await store.saveMessages({ threadId: 'thread', messages: [userMessage('Hello')] })
    expect(readdirSync(folder).sort()).toEqual(['agents.db', 'agents.db-shm', 'agents.db-wal'])
    await fill(store)
    expect(modeOf(file)).toBe(0o600)
    expect((await reopened()).items).toHaveLength(2)
  },
)

test('an existing file keeps its mode, empty or not', async () => {
  writeFileSync(file, '')
  chmodSync(file, 0o640)
  for (let round = 0; round < 2; round++) {
    const store = open(file)
    await store.saveMessages({ threadId: 'thread', messages: [userMessage('Hello')] })
    expect(readdirSync(folder).map((name) => modeOf(join(folder, name)))).toEqual([0o640, 0o640, 0o640])
    await store.close()
  }
})

test('a link to a missing file creates a file readable only by its owner', async () => {
  symlinkSync('target.db', file)
  await fill(open(file))
  expect(modeOf(join(folder, 'target.db'))).toBe(0o600)
})

test('a missing folder is reported, and no file is created', async () => {
  expect(() => open(join(folder, 'missing', 'agents.db'))).toThrow(/folder/)
  expect(readdirSync(folder)).toEqual([])
})

test('creates no file for a database in memory', async () => {
  const before = readdirSync('.')
  const store = new LibSQLStore({ url: ':memory:' })
  await store.saveMessages({ threadId: 'thread', messages: [userMessage('Hello')] })
  await store.close()
  expect(readdirSync('.')).toEqual(before)
})

test('a client of the application keeps the mode of its file', async () => {
  const client = createClient({ url: `file:${file}` })
  const store = new LibSQLStore({ client })
  await store.saveMessages({ threadId: 't', messages: [] })
  await store.close()
  client.close()
  expect(modeOf(file)).toBe(0o644)
})

test('resolves the file of a url like the client', async () => {
  for (const [url, name] of [
    [`file://${folder}/slashes.db`, 'slashes.db'],
    [`file://localhost${folder}/host.db`, 'host.db'],
    [`file:${folder}/with%20space.db`, 'with space.db'],
  ] as const) {
    await fill(new LibSQLStore({ url }))
    expect(modeOf(join(folder, name))).toBe(0o600)
  }
  expect(readdirSync(folder).filter((name) => !name.includes('.db'))).toEqual([])
})

async function reopened() {
  const store = open(file)
  const page = await store.listMessages({ threadId: 'thread' })
  await store.close()
  return page
}
