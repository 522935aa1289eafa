import { existsSync, readFileSync } from 'node:fs'
import type { Message } from '@millrace/core'
import { LibSQLStore } from '@millrace/store-libsql'
import { afterEach, expect, test } from 'vitest'
import { pathOf, remove } from './open-store.ts'

const database = `millrace_libsql_deletion_${process.pid}`
afterEach(() => remove(database))

const key = { threadId: 'thread-zanzibar', resourceId: 'resource-zanzibar' }
const model = 'model'

/** A text that is long enough for pages of its own, of words that are nowhere else. */
function secret(id: string): Message {
  const text = Array.from({ length: 200 }, (_, index) => `zanzibar${id}x${index}`).join(' ')
  // Some words more than once: how often they occur is kept apart.
  return message(id, `${text} and the rest, zanzibar${id}x0 and zanzibar${id}x199`)
}

function message(id: string, text: string): Message {
  return { id, role: 'user', content: { parts: [{ type: 'text', text }] }, createdAt: new Date(0) }
}

/** What of the store lies on the disk. */
function filesContain(text: string): boolean {
  return ['', '-wal', '-shm'].some((end) => {
    const path = pathOf(database) + end
    return existsSync(path) && readFileSync(path).includes(text)
  })
}

async function filled(count: number): Promise<LibSQLStore> {
  const store = new LibSQLStore({ url: `file:${pathOf(database)}` })
  for (let turn = 0; turn < 40; turn++) {
    const messages = Array.from({ length: 10 }, (_, index) =>
      message(`${turn}-${index}`, `plain words ${turn} about the weather and ${index} other things`),
    )
    await store.saveMessages({ threadId: 'other', resourceId: 'other', messages })
  }
  const messages = Array.from({ length: count }, (_, index) => secret(`${index}`))
  for (const one of messages) await store.saveMessages({ ...key, messages: [one] })
  await store.saveVectors({
    ...key,
    model,
    vectors: messages.map(({ id }) => ({ messageId: id, vector: new Float32Array(384).fill(0.5) })),
  })
  await store.saveResource({ resourceId: key.resourceId, state: { memory: 'zanzibar' } })
  await store.setKey({ resourceId: key.resourceId, key: 'zanzibar', value: 'zanzibar' })
  await store.saveRun({
    ...key,
    runId: 'run',
    agentName: 'agent',
    payload: 'zanzibar',
    createdAt: Date.now(),
    expiresAt: Date.now() + 60_000,
    snapshot: '"zanzibar"',
  })
  expect(filesContain('zanzibar')).toBe(true)
  return store
}

test('a deleted message and its words are in no file', async () => {
  const store = await filled(30)
  await store.deleteMessages({ ...key, messageIds: ['7', '11'] })
  // Terms share their beginnings with their neighbours in the index: the ends are told apart.
  for (const word of ['zanzibar7x', 'zanzibar11x', 'ar7x', 'r11x1']) expect(filesContain(word)).toBe(false)
  expect(filesContain('zanzibar8x')).toBe(true)
  expect(await store.searchMessages({ ...key, query: 'zanzibar7x3' })).toEqual([])
  await store.close()
})

test('text replaced by a new version of a message is in no file', async () => {
  const store = await filled(12)
  await store.saveMessages({ ...key, messages: [message('new', 'another try')], deleteAfter: '3' })
  for (const id of [4, 7, 11]) expect(filesContain(`zanzibar${id}x`)).toBe(false)
  expect(filesContain('zanzibar3x')).toBe(true)
  await store.close()
})

// The SQL is that of SQLiteStore, where both always run.
const isThorough = process.env.MILLRACE_THOROUGH === '1'

test.each(isThorough ? [10, 150] : [10])(
  'after deleting a resource with %i messages, no file contains its data',
  async (count) => {
    const store = await filled(count)
    await store.deleteResource({ resourceId: key.resourceId })
    expect(filesContain('zanzibar')).toBe(false)
    expect(filesContain('anzib')).toBe(false)
    expect(await store.searchMessages({ resourceId: 'other', query: 'weather', limit: 1_000 })).toHaveLength(
      400,
    )
    await store.close()
  },
)

test.each(isThorough ? [10, 150] : [150])(
  'after deleting a thread with %i messages, no file contains its data',
  async (count) => {
    const store = await filled(count)
    await store.deleteThread(key)
    for (const word of ['zanzibar1x', 'thread-zanzibar']) expect(filesContain(word)).toBe(false)
    expect(await store.getResource({ resourceId: key.resourceId })).toMatchObject({
      state: { memory: 'zanzibar' },
    })
    await store.close()
  },
)
