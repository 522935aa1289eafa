import { readFileSync } from 'node:fs'
import { indexTerms, searchableText } from '@millrace/core/storage'
import { SQLiteStore } from '@millrace/store-sqlite'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'

const versions = [1]
const key = { threadId: 'trip', resourceId: 'ada' }

/** A database of an older version of the package, which an application has tables of its own in. */
function databaseOf(version: number): Database.Database {
  const database = new Database(':memory:')
  database.exec('CREATE TABLE messages (text TEXT); PRAGMA user_version = 42')
  database.exec(readFileSync(new URL(`version-${version}.sql`, import.meta.url), 'utf8'))
  return database
}

function schemaOf(database: Database.Database): unknown {
  return database
    .prepare("SELECT type, name, sql FROM sqlite_schema WHERE name LIKE 'millrace%' ORDER BY name")
    .all()
}

test.each(versions)('migrates the data of version %i without loss', async (version) => {
  const database = databaseOf(version)
  const store = new SQLiteStore({ database })
  const { items } = await store.listMessages(key)
  expect(items).toMatchObject([
    { sequence: 1, message: { id: 'a', role: 'user', resourceId: 'ada', threadId: 'trip' } },
    { sequence: 2, message: { id: 'b', content: { parts: [{ type: 'text', text: 'In the hall.' }] } } },
  ])
  expect(await store.getThread(key)).toMatchObject({
    title: 'Lisbon',
    metadata: { year: 2026 },
    state: { summary: 'A trip' },
    messageCount: 2,
    version: 1,
  })
  expect(await store.searchMessages({ ...key, query: 'umbrellas' })).toMatchObject([{ message: { id: 'a' } }])
  expect(await store.searchMessages({ query: 'umbrella' })).toMatchObject([{ message: { id: 'c' } }])
  const [near] = await store.searchVectors({ resourceId: 'ada', model: 'example', vector: [4, 3] })
  expect(near?.score).toBeCloseTo(0.96)
  const { items: missing } = await store.listMessagesWithoutVector({ resourceId: 'ada', model: 'example' })
  expect(missing).toMatchObject([{ message: { id: 'b' } }])
  expect(await store.getResource({ resourceId: 'ada' })).toMatchObject({ state: { notes: ['likes trains'] } })
  expect(await store.getRun('run-1', { resourceId: 'ada' })).toMatchObject({
    state: 'suspended',
    run: { payload: { amount: 5 } },
  })
  expect(await store.addToCounter({ resourceId: 'ada', key: 'tokens', amount: 1 })).toMatchObject({
    value: 8,
  })
  expect(await store.getKey({ resourceId: 'ada', key: 'cache' })).toBe('value')
  await store.saveMessages({
    ...key,
    messages: items.map(({ message }) => ({ ...message, id: `${message.id}2` })),
  })
  expect((await store.listMessages(key)).items.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
  await store.deleteResource({ resourceId: 'ada' })
  expect(await store.searchMessages({ query: 'umbrella' })).toHaveLength(1)
  database.exec("INSERT INTO millrace_words (millrace_words, rank) VALUES ('integrity-check', 1)")
})

test('knows the outcome of runs stored by version 1, and resumes suspended ones', async () => {
  const database = databaseOf(1)
  database.exec(
    "INSERT INTO millrace_runs VALUES (2, 'run-2', 'ada', '', 'resumed', 4102444800000, NULL, NULL)",
  )
  const store = new SQLiteStore({ database })
  const owner = { resourceId: 'ada' }
  expect(await store.getRun('run-2', owner)).toEqual({ state: 'done' })
  const claim = await store.claimRun('run-1', { leaseMs: 1_000, owner, ifVersion: 0 })
  expect(claim).toEqual({ state: 'suspended', attempt: 1 })
})

test('ranks messages stored by version 1 like new ones', async () => {
  const texts = ['A mill, some mill and the river', 'A river', 'Mills by rivers: river, river']
  const messages = texts.map((text, index) => ({
    id: `mill-${index}`,
    role: 'user' as const,
    content: { parts: [{ type: 'text' as const, text }] },
    createdAt: new Date(0),
  }))
  const old = databaseOf(1)
  for (const [index, message] of messages.entries()) {
    old
      .prepare(
        `INSERT INTO millrace_messages SELECT key << 32 | 1000 + ?, ?, ?, ?, 'user', 0, ?, '{"parts":[]}'
          FROM millrace_resources WHERE id = 'ada'`,
      )
      .run(index, 99, index, message.id, indexTerms(searchableText(message)).join(' '))
  }
  await new SQLiteStore({ database: old }).migrate()
  const made = new Database(':memory:')
  await new SQLiteStore({ database: made }).saveMessages({ ...key, messages })
  const textsOf = (database: Database.Database): unknown =>
    database
      .prepare(
        `SELECT id, length, repeated FROM millrace_texts JOIN millrace_messages ON key = message
          WHERE id LIKE 'mill-%' ORDER BY id`,
      )
      .all()
  expect(textsOf(old)).toEqual(textsOf(made))
  expect(textsOf(made)).toContainEqual({ id: 'mill-2', length: 5, repeated: ' river:3 ' })
  const totals = `SELECT texts, terms FROM millrace_corpora JOIN millrace_resources ON key = resource WHERE id = 'ada'`
  const counted = 'SELECT count(*) AS texts, sum(length) AS terms FROM millrace_texts WHERE message >> 32 = 1'
  expect(old.prepare(totals).get()).toEqual(old.prepare(counted).get())
})

test.each(versions)('migrates version %i to the same schema as a new file', async (version) => {
  const upgraded = databaseOf(version)
  await new SQLiteStore({ database: upgraded, migrate: 'manual' }).migrate()
  const made = new Database(':memory:')
  await new SQLiteStore({ database: made }).migrate()
  expect(schemaOf(upgraded)).toEqual(schemaOf(made))
  expect(upgraded.pragma('user_version', { simple: true })).toBe(42)
})

test('rejects a newer schema, in every call', async () => {
  const database = databaseOf(1)
  database.exec('INSERT INTO millrace_schema VALUES (99)')
  const store = new SQLiteStore({ database })
  for (const call of [() => store.migrate(), () => store.getThread(key), () => store.getThread(key)]) {
    await expect(call()).rejects.toMatchObject({ code: 'STORAGE_SCHEMA_NEWER' })
  }
})

test("does not migrate with migrate: 'manual'", async () => {
  const database = new Database(':memory:')
  const store = new SQLiteStore({ database, migrate: 'manual' })
  const calls = [
    () => store.getThread(key),
    () => store.saveThread(key),
    () => store.deleteResource({ resourceId: 'ada' }),
    () => store.saveMessages({ ...key, messages: [] }),
  ]
  for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'STORAGE_SCHEMA_OUTDATED' })
  expect(schemaOf(database)).toEqual([])
  await store.migrate()
  expect(await store.saveThread(key)).toMatchObject({ version: 1 })
})

test('migrates when the file is first opened, and only then', async () => {
  const database = new Database(':memory:')
  const store = new SQLiteStore({ database })
  await store.getThread(key)
  const version = database.pragma('schema_version', { simple: true })
  await store.saveThread(key)
  await store.searchMessages({ query: 'anything' })
  await store.setKey({ key: 'a', value: 'b' })
  await new SQLiteStore({ database }).saveThread(key)
  expect(database.pragma('schema_version', { simple: true })).toBe(version)
})
