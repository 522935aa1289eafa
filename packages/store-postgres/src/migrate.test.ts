import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from 'vitest'
import { emptyDatabase } from '../test/pglite.ts'
import { migrate, readVersion } from './migrate.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'
import { connectionsOf } from './postgres-pool.ts'
import { PostgresStore } from './postgres-store.ts'
import { tablesIn } from './tables.ts'

const database = await emptyDatabase()
let schema = ''
let tests = 0

beforeEach(async () => {
  schema = `test_${tests++}`
  await database.exec(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}`)
})

/** What a next version could be: a column that is filled from what is there. */
const next: Migration = (t) => [
  `ALTER TABLE ${t.messages} ADD COLUMN length integer`,
  `UPDATE ${t.messages} SET length = char_length(content)`,
]
const broken: Migration = (t) => [`DROP TABLE ${t.keys}`, `DROP TABLE ${t.keys}`]

const migrateTo = (migrations: readonly Migration[]) =>
  migrate(connectionsOf(database), { tables: tablesIn(schema), migrations })
const version = () => readVersion(connectionsOf(database).query, tablesIn(schema))

async function loadVersion1(): Promise<void> {
  await database.exec(readFileSync(new URL('../test/schema-1.sql', import.meta.url), 'utf8'))
}

/** All there is in the fixture. */
async function assertVersion1(store: PostgresStore): Promise<void> {
  const trip = { threadId: 'trip', resourceId: 'ada' }
  expect(await store.getThread(trip)).toMatchObject({
    title: 'Lisbon',
    metadata: { color: 'red' },
    state: { memory: 'Likes trains' },
    version: 2,
    messageCount: 3,
  })
  const { items } = await store.listMessages(trip)
  expect(items.map(({ message, sequence }) => [message.id, sequence])).toEqual([
    ['m1', 1],
    ['m2', 2],
    ['m3', 3],
  ])
  expect(items[1]?.message.content).toEqual({
    parts: [{ type: 'text', text: 'Bring an umbrella: \0 東京' }],
    metadata: { lang: 'en' },
  })
  const found = await store.searchMessages({ resourceId: 'ada', query: 'trains', metadata: { lang: 'en' } })
  expect(found.map(({ message }) => message.id)).toEqual(['m3', 'm1'])
  const near = await store.searchVectors({ resourceId: 'ada', model: 'example-embedding', vector: [1, 0] })
  expect(near.map(({ message, score }) => [message.id, score.toFixed(3)])).toEqual([
    ['m1', '0.600'],
    ['m2', '0.000'],
  ])
  expect((await store.listMessages({ threadId: 'other' })).items).toHaveLength(1)
  expect(await store.getResource({ resourceId: 'ada' })).toMatchObject({
    metadata: { plan: 'free' },
    version: 1,
  })
  expect(await store.getRun('run-1', { resourceId: 'ada' })).toMatchObject({
    state: 'suspended',
    run: { payload: { ask: 'May I?' } },
  })
  expect(await store.getRun('run-2', { resourceId: 'ada' })).toEqual({ state: 'done' })
  expect(await store.addToCounter({ resourceId: 'ada', key: 'tokens', amount: 0 })).toMatchObject({
    value: 7,
  })
  expect(await store.getKey({ resourceId: 'ada', key: 'cache' })).toBe('value')
}

test('migrates a database of version 1 without data loss', async () => {
  await loadVersion1()
  const store = new PostgresStore({ pool: database, schema })
  await store.migrate()
  await assertVersion1(store)
  const message = { role: 'user' as const, content: { parts: [] }, createdAt: new Date() }
  await store.saveMessages({ threadId: 'trip', resourceId: 'ada', messages: [{ ...message, id: 'm4' }] })
  const { items } = await store.listMessages({ threadId: 'trip', resourceId: 'ada' })
  expect(items.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4])
})

test.each(['nothing', 'version 1'])(
  'turns %s into an index without a pending list, and drops foreign keys',
  async (from) => {
    if (from === 'version 1') await loadVersion1()
    const store = new PostgresStore({ pool: database, schema })
    await store.migrate()
    const indexes = await database.query(
      `SELECT reloptions FROM pg_class JOIN pg_am ON pg_am.oid = relam
      WHERE amname = 'gin' AND relnamespace = $1::regnamespace`,
      [schema],
    )
    expect(indexes.rows).toEqual([{ reloptions: ['fastupdate=off'] }])
    const keys = await database.query(
      "SELECT 1 FROM pg_constraint WHERE contype = 'f' AND connamespace = $1::regnamespace",
      [schema],
    )
    expect(keys.rows).toEqual([])
  },
)

test('deletes all dependent rows', async () => {
  const store = new PostgresStore({ pool: database, schema })
  const model = 'example'
  const fill = async (threadId: string): Promise<void> => {
    const messages = ['a', 'b', 'c', 'd'].map((id) => ({
      id,
      role: 'user' as const,
      content: { parts: [{ type: 'text' as const, text: 'umbrella' }] },
      createdAt: new Date(0),
    }))
    await store.saveMessages({ threadId, resourceId: 'ada', messages })
    const vectors = messages.map(({ id }) => ({ messageId: id, vector: [1, 0] }))
    await store.saveVectors({ threadId, resourceId: 'ada', model, vectors })
  }
  const count = async (): Promise<unknown> => {
    const { rows } = await database.query(
      `SELECT (SELECT count(*)::int FROM millrace_messages) AS messages, (SELECT count(*)::int FROM millrace_vectors) AS vectors`,
    )
    return rows[0]
  }
  for (const threadId of ['one', 'two', 'three']) await fill(threadId)
  await store.deleteMessages({ threadId: 'one', resourceId: 'ada', messageIds: ['a', 'none'] })
  expect(await count()).toEqual({ messages: 11, vectors: 11 })
  await store.saveMessages({ threadId: 'one', resourceId: 'ada', messages: [], deleteAfter: 'b' })
  expect(await count()).toEqual({ messages: 9, vectors: 9 })
  await store.deleteThread({ threadId: 'two', resourceId: 'ada' })
  expect(await count()).toEqual({ messages: 5, vectors: 5 })
  await store.deleteResource({ resourceId: 'ada' })
  expect(await count()).toEqual({ messages: 0, vectors: 0 })
})

test('runs each migration once, in order', async () => {
  await loadVersion1()
  await migrateTo([...MIGRATIONS, next])
  await migrateTo([...MIGRATIONS, next])
  expect(await version()).toBe(MIGRATIONS.length + 1)
  const { rows } = await database.query('SELECT DISTINCT length > 0 AS filled FROM millrace_messages')
  expect(rows).toEqual([{ filled: true }])
})

test('rolls back a failed migration', async () => {
  await loadVersion1()
  await expect(migrateTo([...MIGRATIONS, next, broken])).rejects.toThrow()
  expect(await version()).toBe(1)
  await assertVersion1(new PostgresStore({ pool: database, schema }))
})

test('does not change a newer schema, and says what to do', async () => {
  await loadVersion1()
  await migrateTo([...MIGRATIONS, next])
  for (const migrate of ['auto', 'manual'] as const) {
    const store = new PostgresStore({ pool: database, schema, migrate })
    const refused = {
      code: 'STORAGE_SCHEMA_NEWER',
      message: expect.stringContaining('newer version of the adapter'),
    }
    await expect(store.migrate()).rejects.toMatchObject(refused)
    await expect(store.listThreads({})).rejects.toMatchObject(refused)
  }
})

test('asks for migrate() if it may not migrate by itself', async () => {
  const store = new PostgresStore({ pool: database, schema, migrate: 'manual' })
  await expect(store.listThreads({})).rejects.toMatchObject({ code: 'STORAGE_SCHEMA_OUTDATED' })
  expect(await version()).toBe(0)
  await store.migrate()
  expect(await store.listThreads({})).toEqual({ items: [] })
})

test('creates only what it uses, in the given schema, with any name', async () => {
  for (const schema of ['tenant', 'Größe "1"; DROP SCHEMA public; --', 'x'.repeat(63)]) {
    const store = new PostgresStore({ pool: database, schema, migrate: 'auto' })
    await store.saveThread({ threadId: 't' })
    const { rows } = await database.query<{ name: string }>(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY 1',
      [schema],
    )
    expect(rows.map(({ name }) => name)).toEqual([
      'millrace_blobs',
      'millrace_counters',
      'millrace_keys',
      'millrace_messages',
      'millrace_resources',
      'millrace_run_calls',
      'millrace_runs',
      'millrace_schema',
      'millrace_stream_chunks',
      'millrace_streams',
      'millrace_threads',
      'millrace_vector_models',
      'millrace_vectors',
    ])
  }
  for (const schema of ['', 'a\0b', 'x'.repeat(64), 'é'.repeat(32)]) {
    expect(() => new PostgresStore({ pool: database, schema })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  }
})
