import { existsSync, readFileSync } from 'node:fs'
import type { Message } from '@millrace/core'
import { SQLiteStore } from '@millrace/store-sqlite'
import { afterEach, expect, test } from 'vitest'
import { pathOf, remove } from './open-store.ts'

const database = `millrace_deletion_${process.pid}`
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

async function filled(count: number): Promise<SQLiteStore> {
  const store = new SQLiteStore({ path: pathOf(database) })
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

test.each([10, 150])(
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

test.each([10, 150])('after deleting a thread with %i messages, no file contains its data', async (count) => {
  const store = await filled(count)
  await store.deleteThread(key)
  for (const word of ['zanzibar1x', 'thread-zanzibar']) expect(filesContain(word)).toBe(false)
  expect(await store.getResource({ resourceId: key.resourceId })).toMatchObject({
    state: { memory: 'zanzibar' },
  })
  await store.close()
})

test('the next deletion finishes an interrupted rewrite of the index', async () => {
  const store = await filled(40)
  const { default: Database } = await import('better-sqlite3')
  const other = new Database(pathOf(database))
  other.exec(`INSERT INTO millrace_words (millrace_words, rank) VALUES ('secure-delete', 0);
    DELETE FROM millrace_messages WHERE id = '5'`)
  other.close()
  expect(filesContain('zanzibar5x')).toBe(true)
  await store.deleteMessages({ ...key, messageIds: ['6'] })
  for (const word of ['zanzibar5x', 'r5x', 'zanzibar6x']) expect(filesContain(word)).toBe(false)
  await store.close()
})
