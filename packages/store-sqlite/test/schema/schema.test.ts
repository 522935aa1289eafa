import { readFileSync } from 'node:fs'
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

test.each(versions)('loses nothing of what version %i has stored', async (version) => {
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
  expect(await store.getRun('run-1')).toMatchObject({ state: 'suspended', run: { payload: { amount: 5 } } })
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

test.each(versions)('makes of version %i the schema that it makes of nothing', async (version) => {
  const upgraded = databaseOf(version)
  await new SQLiteStore({ database: upgraded, migrate: 'manual' }).migrate()
  const made = new Database(':memory:')
  await new SQLiteStore({ database: made }).migrate()
  expect(schemaOf(upgraded)).toEqual(schemaOf(made))
  expect(upgraded.pragma('user_version', { simple: true })).toBe(42)
})

test('refuses a schema that a newer version has made, with every call', async () => {
  const database = databaseOf(1)
  database.exec('INSERT INTO millrace_schema VALUES (99)')
  const store = new SQLiteStore({ database })
  for (const call of [() => store.migrate(), () => store.getThread(key), () => store.getThread(key)]) {
    await expect(call()).rejects.toMatchObject({ code: 'STORAGE_SCHEMA_NEWER' })
  }
})

test('changes no schema unless it is told to', async () => {
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

test('changes the schema when it is opened first, and at no other time', async () => {
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
