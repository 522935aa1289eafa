import type { Message, Store } from '@millrace/core'
import { LibSQLStore } from '@millrace/store-libsql'
import { SQLiteStore } from '@millrace/store-sqlite'
import { afterEach, expect, test } from 'vitest'
import { pathOf, remove } from './open-store.ts'

const database = `millrace_shared_${process.pid}`
afterEach(() => remove(database))

const openings: [string, () => Store, () => Store][] = [
  [
    'libSQL',
    () => new LibSQLStore({ url: `file:${pathOf(database)}` }),
    () => new SQLiteStore({ path: pathOf(database) }),
  ],
  [
    'SQLite',
    () => new SQLiteStore({ path: pathOf(database) }),
    () => new LibSQLStore({ url: `file:${pathOf(database)}` }),
  ],
]

test.each(openings)(
  'what %s has written, the other store reads, finds, extends and deletes',
  async (_, open, openOther) => {
    const key = { threadId: 't', resourceId: 'ada' }
    const one = open()
    await one.saveMessages({
      ...key,
      messages: [message('a', 'The red umbrella'), message('b', 'In the hall')],
    })
    await one.saveVectors({ ...key, model: 'm', vectors: [{ messageId: 'a', vector: [3, 4] }] })
    await one.close()
    const other = openOther()
    await other.saveMessages({ ...key, messages: [message('c', 'Another umbrella')] })
    const found = await other.searchMessages({ ...key, query: 'umbrellas' })
    expect(found.map((hit) => hit.message.id).toSorted()).toEqual(['a', 'c'])
    const [near] = await other.searchVectors({ ...key, model: 'm', vector: [4, 3] })
    expect(near?.score).toBeCloseTo(0.96)
    expect(await other.deleteMessages({ ...key, messageIds: ['a'] })).toBe(1)
    await other.close()
    const again = open()
    expect(await again.getThread(key)).toMatchObject({ messageCount: 2 })
    expect(await again.searchMessages({ ...key, query: 'red' })).toEqual([])
    await again.close()
  },
)

function message(id: string, text: string): Message {
  return { id, role: 'user', content: { parts: [{ type: 'text', text }] }, createdAt: new Date(0) }
}
