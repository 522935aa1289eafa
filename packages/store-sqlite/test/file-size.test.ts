import { existsSync, statSync } from 'node:fs'
import type { Message } from '@millrace/core'
import { SQLiteStore } from '@millrace/store-sqlite'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { pathOf, remove } from './open-store.ts'

const name = `millrace_sqlite_size_${process.pid}`
afterEach(() => remove(name))

function message(id: string): Message {
  const text = `umbrella ${id} ${'x'.repeat(20_000)}`
  return { id, role: 'user', content: { parts: [{ type: 'text', text }] }, createdAt: new Date(0) }
}

const messages = (count: number, prefix: string): Message[] =>
  Array.from({ length: count }, (_, index) => message(`${prefix}${index}`))

const sizeOf = (end: string): number =>
  existsSync(pathOf(name) + end) ? statSync(pathOf(name) + end).size : 0

test('shrink() reduces the file and keeps its data', async () => {
  const store = new SQLiteStore({ path: pathOf(name) })
  await store.saveMessages({ threadId: 'stays', messages: messages(10, 'a') })
  for (let turn = 0; turn < 20; turn++) {
    await store.saveMessages({ threadId: 'goes', messages: messages(20, `b${turn}-`) })
  }
  await store.deleteThread({ threadId: 'goes' })
  const before = sizeOf('')
  await store.shrink()
  expect(sizeOf('')).toBeLessThan(before / 4)
  expect((await store.listMessages({ threadId: 'stays' })).items).toHaveLength(10)
  expect(await store.searchMessages({ query: 'umbrella' })).toHaveLength(10)
  await store.shrink()
  await store.close()
})

test('the WAL shrinks again after a long read', async () => {
  const store = new SQLiteStore({ path: pathOf(name) })
  await store.saveMessages({ threadId: 't', messages: messages(1, 'first') })
  const reader = new Database(pathOf(name))
  reader.exec('BEGIN; SELECT count(*) FROM millrace_messages')
  const read = reader.prepare('SELECT count(*) FROM millrace_messages')
  read.get()
  for (let turn = 0; turn < 60; turn++) {
    await store.saveMessages({ threadId: 't', messages: messages(20, `${turn}-`) })
  }
  const largest = sizeOf('-wal')
  expect(largest).toBeGreaterThan(20 * 1024 * 1024)
  reader.exec('COMMIT')
  reader.close()
  for (let turn = 0; turn < 3; turn++) {
    await store.saveMessages({ threadId: 't', messages: messages(1, `last${turn}`) })
  }
  expect(sizeOf('-wal')).toBeLessThanOrEqual(16 * 1024 * 1024)
  await store.close()
})

test('a file of an older version throws and says how to enable shrinking', async () => {
  const database = new Database(':memory:')
  const store = new SQLiteStore({ database })
  await store.saveMessages({ threadId: 't', messages: messages(1, 'a') })
  await expect(store.shrink()).rejects.toMatchObject({
    code: 'STORAGE_UNSUPPORTED',
    message: expect.stringContaining('auto_vacuum = INCREMENTAL'),
  })
})
