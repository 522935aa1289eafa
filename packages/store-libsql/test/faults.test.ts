import { createClient } from '@libsql/client'
import type { Message } from '@millrace/core'
import { LibSQLStore } from '@millrace/store-libsql'
import { afterEach, expect, test } from 'vitest'
import { pathOf, remove } from './open-store.ts'

const database = `millrace_libsql_faults_${process.pid}`
const url = `file:${pathOf(database)}`
afterEach(() => remove(database))

const key = { threadId: 't', resourceId: 'ada' }

function message(id: string, text = `Text ${id}`): Message {
  return { id, role: 'user', content: { parts: [{ type: 'text', text }] }, createdAt: new Date(0) }
}

test('a full database throws, and nothing is written partially', async () => {
  const client = createClient({ url, concurrency: 1 })
  const store = new LibSQLStore({ client })
  await store.saveMessages({ ...key, messages: [message('first')] })
  const pages = Number((await client.execute('PRAGMA page_count')).rows[0]?.page_count)
  await client.execute(`PRAGMA max_page_count = ${pages + 8}`)
  let saved = 1
  const refused = (async () => {
    for (;;) {
      const turn = [message(`a${saved}`, 'long '.repeat(400)), message(`b${saved}`, 'text '.repeat(400))]
      await store.saveMessages({ ...key, messages: turn })
      saved += 2
    }
  })()
  await expect(refused).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  expect(await store.getThread(key)).toMatchObject({ messageCount: saved })
  expect((await store.listMessages({ ...key, limit: 1_000 })).items).toHaveLength(saved)
  await client.execute('PRAGMA max_page_count = 1000000')
  await store.saveMessages({ ...key, messages: [message('last')] })
  await store.close()
  client.close()
  await expect(store.getThread(key)).rejects.toMatchObject({ code: 'STORAGE_CLOSED' })
})

test('a locked database throws, and works after the lock is released', async () => {
  const store = new LibSQLStore({ url, busyTimeout: 20 })
  await store.migrate()
  const other = createClient({ url })
  const transaction = await other.transaction('write')
  await expect(store.saveMessages({ ...key, messages: [message('a')] })).rejects.toMatchObject({
    code: 'STORAGE_BUSY',
  })
  const [first, second] = ['b', 'c'].map((id) => store.saveMessages({ ...key, messages: [message(id)] }))
  await expect(first).rejects.toMatchObject({ code: 'STORAGE_BUSY' })
  await expect(second).rejects.toMatchObject({ code: 'STORAGE_BUSY' })
  await transaction.rollback()
  await store.saveMessages({ ...key, messages: [message('a')] })
  expect(await store.getThread(key)).toMatchObject({ messageCount: 1 })
  other.close()
  await store.close()
})

test('throws if its client is closed', async () => {
  const client = createClient({ url })
  const store = new LibSQLStore({ client })
  await store.migrate()
  client.close()
  await expect(store.getThread(key)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
})

test('throws on invalid options', () => {
  const client = createClient({ url: ':memory:' })
  const wrong = [
    {},
    { url: ':memory:', client },
    { url: 'gopher://example.com' },
    { url, synchronous: 'off' },
  ]
  for (const options of wrong) {
    expect(() => new LibSQLStore(options as object)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  }
  expect(() => new LibSQLStore({ url: `file:${pathOf(database)}/no/folder` })).toThrow(
    expect.objectContaining({ code: 'STORAGE_UNAVAILABLE' }),
  )
})
