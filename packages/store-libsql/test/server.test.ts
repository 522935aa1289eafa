import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client'
import type { Message } from '@millrace/core'
import { LibSQLStore } from '@millrace/store-libsql'
import { testStorage } from '@millrace/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Sqld } from './sqld.ts'

/** A database with tables, which is copied for each test: making them takes a while. */
const EMPTY = 'empty'

let server: Sqld
beforeAll(async () => {
  server = await Sqld.start()
  await server.create(EMPTY)
  const store = new LibSQLStore({ url: server.url(EMPTY) })
  await store.listThreads({ resourceId: 'ada' })
  await store.close()
})
afterAll(() => server.stop())

// The SQL is that of a file, whose rules always run. A database per rule takes the server a minute.
describe.runIf(process.env.MILLRACE_THOROUGH === '1')('thorough', () => {
  testStorage('libsql on a server', {
    create: async (database) => {
      await server.copy(EMPTY, database)
      return new LibSQLStore({ url: server.url(database) })
    },
    remove: (database) => server.remove(database),
  })
})

describe('libsql on a server', () => {
  const key = { threadId: 't', resourceId: 'ada' }
  const turn = ['a', 'b'].map((id) => message(id))

  async function open(options: { requestTimeout?: number } = {}): Promise<LibSQLStore> {
    const database = `faults${crypto.randomUUID().slice(0, 8)}`
    await server.create(database)
    const store = new LibSQLStore({ url: server.url(database), ...options })
    await store.saveMessages({ ...key, messages: [message('first')] })
    return store
  }

  test('stores data for other clients of the server', async () => {
    await server.copy(EMPTY, 'shared')
    const [writer, reader] = [1, 2].map(() => new LibSQLStore({ url: server.url('shared') }))
    await Promise.all(turn.map((one) => writer?.saveMessages({ ...key, messages: [one] })))
    const { items } = (await reader?.listMessages(key)) ?? {}
    expect(items?.map(({ message: { id } }) => id).toSorted()).toEqual(['a', 'b'])
    const counted = [writer, reader].map((store) => store?.addToCounter({ key: 'tokens', amount: 5 }))
    expect((await Promise.all(counted)).map((counter) => counter?.value).toSorted()).toEqual([10, 5])
    await Promise.all([writer?.close(), reader?.close()])
  })

  test('saves a turn in one request', async () => {
    const store = await open()
    const before = server.requests
    await store.saveMessages({ ...key, messages: turn })
    expect(server.requests - before).toBe(1)
    await store.listMessages(key)
    expect(server.requests - before).toBe(2)
    await store.searchMessages({ ...key, query: 'text' })
    expect(server.requests - before).toBe(3)
    await store.close()
  })

  test.each(['cut-before', 'cut-after', { status: 503 }] as const)(
    'saves a turn once if the connection fails (%o)',
    async (fault) => {
      const store = await open()
      server.faults.push(fault)
      expect(await store.saveMessages({ ...key, messages: turn })).toMatchObject({ messageCount: 3 })
      server.faults.push(fault)
      const { items } = await store.listMessages(key)
      expect(items.map(({ message: { id } }) => id)).toEqual(['first', 'a', 'b'])
      expect(items.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
      await store.close()
    },
  )

  test('does not add to a counter twice, and reports an unknown outcome', async () => {
    const store = await open()
    server.faults.push('cut-after')
    await expect(store.addToCounter({ key: 'tokens', amount: 5 })).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: expect.stringContaining('may have been executed or not'),
    })
    expect(await store.addToCounter({ key: 'tokens', amount: 0 })).toMatchObject({ value: 5 })
    await store.close()
  })

  test('gives up after three attempts', async () => {
    const store = await open()
    server.faults.push('cut-before', 'cut-before', 'cut-before')
    await expect(store.listMessages(key)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(server.faults).toEqual([])
    expect((await store.listMessages(key)).items).toHaveLength(1)
    await store.close()
  })

  test('gives up on a server that does not respond', async () => {
    const store = await open({ requestTimeout: 300 })
    server.faults.push('silence')
    await expect(store.addToCounter({ key: 'tokens', amount: 5 })).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
    })
    await store.close()
  })

  test('reports a rejected token, and does not retry', async () => {
    const store = await open()
    server.faults.push({ status: 401 })
    await expect(store.listMessages(key)).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining('authToken'),
    })
    expect(server.faults).toEqual([])
    await store.close()
  })

  test('rejects an embedded replica', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-replica-'))
    const url = `file:${join(folder, 'replica.db')}`
    const client = createClient({ url, syncUrl: server.replicationUrl })
    const store = new LibSQLStore({ client })
    await expect(store.saveMessages({ ...key, messages: turn })).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining('embedded replica'),
    })
    await store.close()
    client.close()
    rmSync(folder, { recursive: true })
  })

  test('reports that nothing was done if there is no server', async () => {
    const gone = await Sqld.start()
    const url = gone.url('gone')
    await gone.stop()
    const store = new LibSQLStore({ url })
    await expect(store.addToCounter({ key: 'tokens', amount: 5 })).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: expect.stringContaining('nothing was done'),
    })
    await store.close()
  })

  test('deletes a long thread, and the index is consistent afterwards', async () => {
    const database = `long${crypto.randomUUID().slice(0, 8)}`
    await server.create(database)
    const client = createClient({ url: server.url(database) })
    const store = new LibSQLStore({ client })
    const messages = Array.from({ length: 100 }, (_, index) => message(`${index}`))
    await store.saveMessages({ ...key, threadId: 'other', messages: turn })
    await store.saveMessages({ ...key, messages })
    expect(await store.deleteThread(key)).toBe(true)
    const found = await store.searchMessages({ resourceId: 'ada', query: 'text', limit: 1_000 })
    expect(found.map((hit) => hit.message.id).toSorted()).toEqual(['a', 'b'])
    await client.execute("INSERT INTO millrace_words (millrace_words, rank) VALUES ('integrity-check', 1)")
    const { rows } = await client.execute("SELECT v FROM millrace_words_config WHERE k = 'secure-delete'")
    expect(rows[0]?.v).toBe(1)
    await store.close()
    client.close()
  })

  test('does not close a client that was passed in', async () => {
    const database = `client${crypto.randomUUID().slice(0, 8)}`
    await server.create(database)
    const client = createClient({ url: server.url(database) })
    const store = new LibSQLStore({ client })
    await store.saveMessages({ ...key, messages: turn })
    await store.close()
    const { rows } = await client.execute('SELECT count(*) AS count FROM millrace_messages')
    expect(rows[0]?.count).toBe(2)
    client.close()
  })
})

function message(id: string): Message {
  return {
    id,
    role: 'user',
    content: { parts: [{ type: 'text', text: `Text ${id}` }] },
    createdAt: new Date(0),
  }
}
