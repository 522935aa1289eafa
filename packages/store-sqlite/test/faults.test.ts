import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Message } from '@millrace/core'
import { SQLiteStore } from '@millrace/store-sqlite'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { pathOf, remove } from './open-store.ts'

const database = `millrace_faults_${process.pid}`
afterEach(() => remove(database))

const key = { threadId: 't', resourceId: 'ada' }

function message(id: string, text = `Text ${id}`): Message {
  return { id, role: 'user', content: { parts: [{ type: 'text', text }] }, createdAt: new Date(0) }
}

test('a full database throws, nothing is written partially, and it works when there is space again', async () => {
  const connection = new Database(pathOf(database))
  connection.pragma('journal_mode = WAL')
  const store = new SQLiteStore({ database: connection })
  await store.saveMessages({ ...key, messages: [message('first')] })
  const pages = Number(connection.pragma('page_count', { simple: true }))
  connection.pragma(`max_page_count = ${pages + 8}`)
  let saved = 1
  const refused = (async () => {
    for (;;) {
      const turn = [message(`a${saved}`, 'long '.repeat(400)), message(`b${saved}`, 'text '.repeat(400))]
      await store.saveMessages({ ...key, messages: turn, thread: { title: `${saved + 2} messages` } })
      saved += 2
    }
  })()
  await expect(refused).rejects.toMatchObject({
    code: 'STORAGE_FULL',
    message: expect.stringContaining('Nothing was done'),
  })
  const state = { messageCount: saved, title: `${saved} messages` }
  expect(await store.getThread(key)).toMatchObject(state)
  expect((await store.listMessages({ ...key, limit: 1_000 })).items).toHaveLength(saved)
  expect(await store.searchMessages({ ...key, query: 'text', limit: 1_000 })).toHaveLength((saved + 1) / 2)
  connection.pragma('max_page_count = 1000000')
  await store.saveMessages({ ...key, messages: [message('last')] })
  expect(await store.getThread(key)).toMatchObject({ messageCount: saved + 1 })
  await store.close()
  expect(connection.pragma('integrity_check', { simple: true })).toBe('ok')
  connection.exec("INSERT INTO millrace_words (millrace_words, rank) VALUES ('integrity-check', 1)")
  connection.close()
})

test('a locked database throws, and works after the lock is released', async () => {
  const store = new SQLiteStore({ path: pathOf(database), busyTimeout: 20 })
  await store.migrate()
  const other = new Database(pathOf(database))
  other.exec('BEGIN IMMEDIATE')
  await expect(store.saveMessages({ ...key, messages: [message('a')] })).rejects.toMatchObject({
    code: 'STORAGE_BUSY',
  })
  expect(await store.getThread(key)).toBeUndefined()
  other.exec('ROLLBACK')
  await store.saveMessages({ ...key, messages: [message('a')] })
  expect(await store.getThread(key)).toMatchObject({ messageCount: 1 })
  other.close()
  await store.close()
})

test('reports a file that cannot be opened, is not a database, or is read-only', async () => {
  expect(() => new SQLiteStore({ path: join(pathOf(database), 'no', 'folder') })).toThrow(
    expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }),
  )
  writeFileSync(pathOf(database), 'This is no database. '.repeat(1_000))
  expect(() => new SQLiteStore({ path: pathOf(database) })).toThrow(
    expect.objectContaining({ code: 'STORAGE_FAILED' }),
  )
  remove(database)
  const writer = new SQLiteStore({ path: pathOf(database) })
  await writer.migrate()
  await writer.close()
  const connection = new Database(pathOf(database), { readonly: true })
  const store = new SQLiteStore({ database: connection })
  expect(await store.listMessages(key)).toEqual({ items: [] })
  await expect(store.saveMessages({ ...key, messages: [message('a')] })).rejects.toMatchObject({
    code: 'STORAGE_FAILED',
    message: expect.stringContaining('read-only'),
  })
  connection.close()
})

test('throws on conflicting options', () => {
  const connection = new Database(':memory:')
  for (const options of [
    {},
    { path: ':memory:', database: connection },
    { path: ':memory:', synchronous: 'off' },
  ]) {
    expect(() => new SQLiteStore(options as object)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  }
})

test('takes part in a transaction of the application', async () => {
  const connection = new Database(':memory:')
  const store = new SQLiteStore({ database: connection })
  await store.migrate()
  connection.exec('CREATE TABLE notes (text TEXT); BEGIN')
  connection.exec("INSERT INTO notes VALUES ('note')")
  await store.saveMessages({ ...key, messages: [message('a')] })
  await expect(
    store.saveVectors({ ...key, model: 'm', vectors: [{ messageId: 'a', vector: [1, Number.NaN] }] }),
  ).rejects.toMatchObject({ code: 'STORAGE_INPUT_INVALID' })
  expect(await store.getThread(key)).toMatchObject({ messageCount: 1 })
  connection.exec('ROLLBACK')
  expect(await store.getThread(key)).toBeUndefined()
  connection.exec('BEGIN')
  await store.saveMessages({ ...key, messages: [message('a')] })
  connection.exec('COMMIT')
  await store.close()
  expect(connection.open).toBe(true)
  expect(connection.prepare('SELECT count(*) FROM millrace_messages').pluck().get()).toBe(1)
})

test('throws if its database is closed', async () => {
  const connection = new Database(':memory:')
  const store = new SQLiteStore({ database: connection })
  await store.migrate()
  connection.close()
  await expect(store.getThread(key)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
})

test('does not wait for readers during a deletion', async () => {
  // Longer than a test can take: a deletion that waited would not end in time.
  const store = new SQLiteStore({ path: pathOf(database), busyTimeout: 600_000 })
  await store.saveMessages({ ...key, messages: [message('a'), message('b')] })
  const reader = new Database(pathOf(database))
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM millrace_messages').get()
  expect(await store.deleteMessages({ ...key, messageIds: ['a'] })).toBe(1)
  reader.close()
  await store.close()
})
