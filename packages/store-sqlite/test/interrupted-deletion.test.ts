import { existsSync, readFileSync } from 'node:fs'
import type { Message } from '@millrace/core'
import { SQLiteStore } from '@millrace/store-sqlite'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { pathOf, remove } from './open-store.ts'

const name = `millrace_interrupted_${process.pid}`
afterEach(() => remove(name))

const ada = { threadId: 'trip', resourceId: 'ada' }
const other = { threadId: 'other', resourceId: 'ada' }
const model = 'model'

function message(id: string, text: string): Message {
  return { id, role: 'user', content: { parts: [{ type: 'text', text }] }, createdAt: new Date(0) }
}

function filesContain(text: string): boolean {
  return ['', '-wal'].some((end) => {
    const path = pathOf(name) + end
    return existsSync(path) && readFileSync(path).includes(text)
  })
}

async function fill(count: number): Promise<void> {
  const store = new SQLiteStore({ path: pathOf(name) })
  for (const [key, word] of [
    [ada, 'zanzibar'],
    [other, 'harbour'],
  ] as const) {
    const messages = Array.from({ length: count }, (_, index) =>
      message(
        `${word}${index}`,
        `umbrella ${Array.from({ length: 30 }, (_, n) => `${word}${index}x${n}`).join(' ')}`,
      ),
    )
    await store.saveMessages({ ...key, messages })
    const vectors = messages.map(({ id }) => ({ messageId: id, vector: [1, 0] }))
    await store.saveVectors({ ...key, model, vectors })
  }
  await store.saveMessages({ threadId: 'b', resourceId: 'bob', messages: [message('b', 'umbrella')] })
  await store.close()
}

/** A database whose process dies as it commits for the `last` time. */
function dying(last: number): Database.Database {
  const database = new Database(pathOf(name))
  database.pragma('journal_mode = WAL')
  let commits = 0
  const prepare = database.prepare.bind(database)
  database.prepare = ((sql: string) => {
    const statement = prepare(sql)
    if (sql !== 'COMMIT') return statement
    const run = statement.run.bind(statement)
    statement.run = (...parameters: never[]) => {
      if (commits++ >= last) throw new Error('The process died.')
      return run(...parameters)
    }
    return statement
  }) as typeof database.prepare
  return database
}

const deletions: Record<string, (store: SQLiteStore) => Promise<unknown>> = {
  'a thread': (store) => store.deleteThread(ada),
  'a resource': (store) => store.deleteResource({ resourceId: 'ada' }),
  messages: (store) =>
    store.deleteMessages({
      ...ada,
      messageIds: Array.from({ length: 30 }, (_, index) => `zanzibar${index}`),
    }),
  'what follows': (store) => store.saveMessages({ ...ada, messages: [], deleteAfter: 'zanzibar0' }),
}

// Of a few messages, each word is taken out of the index; for more of them the index is written anew.
const cases = Object.entries(deletions).flatMap(([what, deletion], index) => {
  const counts = process.env.MILLRACE_THOROUGH === '1' ? [12, 30] : [index % 2 === 0 ? 12 : 30]
  return counts.map((messages) => ({ what, messages, deletion }))
})

test.each(cases)(
  'a deletion of $what ($messages messages) that was interrupted anywhere is finished by the next process',
  async ({ what, messages, deletion }) => {
    for (let commits = 1; ; commits++) {
      remove(name)
      await fill(messages)
      const database = dying(commits)
      const store = new SQLiteStore({ database, migrate: 'manual' })
      const died = await deletion(store).then(
        () => false,
        () => true,
      )
      await store.close()
      database.close()
      const reader = new SQLiteStore({ path: pathOf(name) })
      const left = what === 'what follows' ? 1 : 0
      // From the first commit on nobody sees it.
      expect((await reader.listMessages(ada)).items).toHaveLength(left)
      const within = { resourceId: 'ada', limit: 200 }
      const count = what === 'a resource' ? 0 : messages + left
      expect(await reader.searchMessages({ ...within, query: 'umbrella' })).toHaveLength(count)
      expect(await reader.searchVectors({ ...within, model, vector: [1, 0] })).toHaveLength(count)
      expect((await reader.listMessagesWithoutVector({ ...within, model: 'none' })).items).toHaveLength(count)
      // Closing waits for what it has begun.
      await reader.close()
      const checked = new SQLiteStore({ path: pathOf(name) })
      await checked.deleteThread({ threadId: 'b', resourceId: 'bob' })
      await checked.close()
      for (const word of ['zanzibar1x', 'zanzibar11x', 'ar7x']) expect(filesContain(word)).toBe(false)
      expect(filesContain('harbour7x')).toBe(what !== 'a resource')
      const file = new Database(pathOf(name))
      file.exec("INSERT INTO millrace_words (millrace_words, rank) VALUES ('integrity-check', 1)")
      expect(file.prepare('SELECT count(*) AS count FROM millrace_erased').get()).toEqual({ count: 0 })
      file.close()
      if (!died) break
      expect(commits).toBeLessThan(100)
    }
  },
)

test('a file whose message keys exceed the safe integers deletes like any other', async () => {
  remove(name)
  await new SQLiteStore({ path: pathOf(name) }).migrate()
  const file = new Database(pathOf(name))
  file.exec("INSERT INTO millrace_resources (key, id) VALUES (5000000, 'last')")
  file.close()
  await fill(30)
  const store = new SQLiteStore({ path: pathOf(name) })
  await store.deleteMessages({ ...ada, messageIds: ['zanzibar7', 'zanzibar8', 'zanzibar10'] })
  expect((await store.listMessages(ada)).items).toHaveLength(27)
  expect(filesContain('zanzibar7x')).toBe(false)
  await store.deleteThread(ada)
  expect(filesContain('zanzibar')).toBe(false)
  expect(await store.searchMessages({ resourceId: 'ada', query: 'umbrella', limit: 100 })).toHaveLength(30)
  await store.deleteResource({ resourceId: 'ada' })
  expect(filesContain('harbour')).toBe(false)
  await store.close()
})

test('a large deletion yields to the event loop', async () => {
  await fill(60)
  const store = new SQLiteStore({ path: pathOf(name) })
  let isOver = false
  const deleted = store.deleteResource({ resourceId: 'ada' }).then(() => {
    isOver = true
  })
  let turns = 0
  while (!isOver) {
    expect(await store.listThreads({ resourceId: 'bob' })).toMatchObject({ items: [{ id: 'b' }] })
    await new Promise((resolve) => setTimeout(resolve, 0))
    turns++
  }
  await deleted
  expect(turns).toBeGreaterThan(5)
  await store.close()
})
