import { PostgresStore } from '@millrace/store-postgres'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { message } from './message.ts'
import { startEmbeddedPostgres, startPostgres } from './start-postgres.ts'

const server = await startPostgres()
const admin = new pg.Pool({ connectionString: server.url, max: 4 })
// The server crashes in a test.
admin.on('error', () => {})
const schema = `faults_${process.pid}`
const key = { threadId: 'thread', resourceId: 'ada' }
let pools: pg.Pool[] = []

beforeEach(async () => {
  await new PostgresStore({ pool: admin, schema }).migrate()
})
afterEach(async () => {
  await Promise.all(pools.map((pool) => pool.end()))
  pools = []
  await admin.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
})
afterAll(async () => {
  await admin.end()
  await server.stop()
})

/** A store with connections of its own, which bear a name. */
function open(options: pg.PoolConfig = {}): { store: PostgresStore; pool: pg.Pool } {
  const pool = new pg.Pool({ connectionString: server.url, application_name: schema, ...options })
  pools.push(pool)
  return { store: new PostgresStore({ pool, schema }), pool }
}

/** Ends the sessions of the stores that wait for a lock, once there are any. */
async function terminateWaiting(): Promise<void> {
  const found = async () =>
    admin.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = $1 AND wait_event_type = 'Lock'`,
      [schema],
    )
  while ((await found()).rows.length === 0) await new Promise((resolve) => setImmediate(resolve))
}

/** Holds locks until it is called. */
async function hold(statement: string): Promise<() => Promise<void>> {
  const client = await admin.connect()
  await client.query('BEGIN')
  await client.query(statement)
  return async () => {
    await client.query('ROLLBACK')
    client.release()
  }
}

/** Whatever is inserted into the table fails so, as often as said. */
async function failInserts(table: string, { state, times }: { state: string; times: number }): Promise<void> {
  await admin.query(`CREATE SEQUENCE ${schema}.failures`)
  await admin.query(`CREATE FUNCTION ${schema}.fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('${schema}.failures') <= ${times} THEN RAISE EXCEPTION 'as told' USING ERRCODE = '${state}'; END IF;
    RETURN NEW;
  END $$`)
  await admin.query(
    `CREATE TRIGGER fail BEFORE INSERT ON ${schema}.${table} FOR EACH ROW EXECUTE FUNCTION ${schema}.fail()`,
  )
}

const save = (store: PostgresStore, ids: string[]) =>
  store.saveMessages({ ...key, messages: ids.map((id) => message(id, `umbrella ${id}`)) })

async function stored(): Promise<string[]> {
  const { items } = await new PostgresStore({ pool: admin, schema }).listMessages({ ...key, limit: 10_000 })
  return items.map(({ message }) => message.id)
}

describe('a broken connection', () => {
  test('in a transaction: the transaction is retried, and takes effect once', async () => {
    const { store } = open()
    await save(store, ['a'])
    const release = await hold(`SELECT FROM ${schema}.millrace_threads FOR UPDATE`)
    const saving = save(store, ['b', 'c'])
    await terminateWaiting()
    await release()
    expect(await saving).toMatchObject({ messageCount: 3 })
    expect(await stored()).toEqual(['a', 'b', 'c'])
  })

  test('during a statement that the server rolled back: it is retried', async () => {
    const { store } = open()
    await store.setKey({ key: 'k', value: 'old' })
    const release = await hold(`SELECT FROM ${schema}.millrace_keys FOR UPDATE`)
    const setting = store.setKey({ key: 'k', value: 'new' })
    await terminateWaiting()
    await release()
    expect(await setting).toBe(true)
    expect(await store.getKey({ key: 'k' })).toBe('new')
  })

  test('during a statement with an unknown outcome: the error says so', async () => {
    const { store, pool } = open()
    await store.addToCounter({ key: 'k', amount: 1 })
    pool.once('acquire', (client) => {
      setImmediate(() => (client as unknown as { connection: pg.Connection }).connection.stream.destroy())
    })
    const release = await hold(`SELECT FROM ${schema}.millrace_counters FOR UPDATE`)
    await expect(store.addToCounter({ key: 'k', amount: 1 })).rejects.toMatchObject({
      code: 'STORAGE_UNAVAILABLE',
      message: expect.stringContaining('may have been executed'),
    })
    await release()
    expect((await store.addToCounter({ key: 'k', amount: 0 })).value).toBeGreaterThanOrEqual(1)
  })

  test('during a read: it is retried', async () => {
    const { store, pool } = open()
    await save(store, ['a', 'b'])
    pool.once('acquire', (client) => {
      setImmediate(() => (client as unknown as { connection: pg.Connection }).connection.stream.destroy())
    })
    expect((await store.listMessages(key)).items).toHaveLength(2)
  })

  test('while idle: nothing happens', async () => {
    const { store } = open()
    await save(store, ['a'])
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [
      schema,
    ])
    await save(store, ['b'])
    expect(await stored()).toEqual(['a', 'b'])
  })

  test('repeatedly, under many writers: every turn is complete, and acknowledged writes are kept', async () => {
    const { store } = open({ max: 5 })
    await save(store, [])
    let done = false
    const outcomes = Promise.allSettled(
      Array.from({ length: 60 }, (_, turn) => save(store, [`${turn}-a`, `${turn}-b`])),
    ).finally(() => {
      done = true
    })
    while (!done) {
      await admin.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1 ORDER BY random() LIMIT 1',
        [schema],
      )
    }
    const ids = await stored()
    for (const [turn, outcome] of (await outcomes).entries()) {
      const at = ids.indexOf(`${turn}-a`)
      expect(ids.slice(at, at + 2)).toEqual(at === -1 ? [] : [`${turn}-a`, `${turn}-b`])
      if (outcome.status === 'fulfilled') expect(at).not.toBe(-1)
      else expect(outcome.reason).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    }
    expect(new Set(ids).size).toBe(ids.length)
    expect((await store.getThread(key))?.messageCount).toBe(ids.length)
  })
})

test('reports that it is busy if the pool is exhausted, and works afterwards', async () => {
  const { store, pool } = open({ max: 1 })
  await save(store, ['a'])
  pool.options.connectionTimeoutMillis = 20
  const client = await pool.connect()
  await expect(save(store, ['b'])).rejects.toMatchObject({ code: 'STORAGE_BUSY' })
  await expect(store.listMessages(key)).rejects.toMatchObject({ code: 'STORAGE_BUSY' })
  client.release()
  await save(store, ['c'])
  expect(await stored()).toEqual(['a', 'c'])
})

test('reports that it is busy if it does not get a lock in time', async () => {
  const { store } = open({ options: '-c lock_timeout=20ms' })
  await save(store, ['a'])
  const release = await hold(`SELECT FROM ${schema}.millrace_threads FOR UPDATE`)
  await expect(save(store, ['b'])).rejects.toMatchObject({ code: 'STORAGE_BUSY' })
  await release()
  expect(await stored()).toEqual(['a'])
})

test.each(['40001', '40P01'])('retries a transaction that lost a race (%s)', async (state) => {
  const { store } = open()
  await failInserts('millrace_messages', { state, times: 3 })
  expect(await save(store, ['a', 'b'])).toMatchObject({ messageCount: 2 })
  expect(await stored()).toEqual(['a', 'b'])
})

test.each([
  { what: 'loses every race', state: '40001', code: 'STORAGE_BUSY' },
  { what: 'finds the disk full', state: '53100', code: 'STORAGE_FULL' },
  { what: 'fails otherwise', state: 'XX000', code: 'STORAGE_FAILED' },
])('writes nothing partially if it $what', async ({ state, code }) => {
  const { store } = open()
  await save(store, ['a', 'b'])
  await failInserts('millrace_messages', { state, times: 1_000 })
  const saving = store.saveMessages({
    ...key,
    messages: [message('a', 'edited'), message('c', 'new')],
    thread: { title: 'Changed' },
    deleteAfter: 'a',
  })
  await expect(saving).rejects.toMatchObject({ code })
  expect(await stored()).toEqual(['a', 'b'])
  const { title, messageCount } = (await store.getThread(key)) ?? {}
  expect({ title, messageCount }).toEqual({ title: undefined, messageCount: 2 })
  expect(await store.searchMessages({ ...key, query: 'umbrella' })).toHaveLength(2)
})

test('reads from a read-only database, and reports that it cannot write', async () => {
  await save(open().store, ['a'])
  const { store } = open({ options: '-c default_transaction_read_only=on' })
  expect((await store.listMessages(key)).items).toHaveLength(1)
  const writes = [
    () => save(store, ['b']),
    () => store.setKey({ key: 'k', value: 'v' }),
    () => store.deleteThread(key),
  ]
  for (const write of writes) {
    await expect(write()).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining('read-only'),
    })
  }
  expect(await stored()).toEqual(['a'])
})

test('reports missing privileges', async () => {
  const role = `guest_${process.pid}`
  await admin.query(`CREATE ROLE ${role}`)
  await admin.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
  await admin.query(`GRANT SELECT ON ALL TABLES IN SCHEMA ${schema} TO ${role}`)
  const { store } = open({ options: `-c role=${role}` })
  expect(await store.listMessages(key)).toEqual({ items: [] })
  await expect(save(store, ['a'])).rejects.toMatchObject({
    code: 'STORAGE_FAILED',
    message: expect.stringContaining('privilege'),
  })
  await admin.query(`DROP OWNED BY ${role}`)
  await admin.query(`DROP ROLE ${role}`)
})

test('reports a missing schema, also if it was dropped while in use', async () => {
  const { store } = open()
  await save(store, ['a'])
  await admin.query(`DROP SCHEMA ${schema} CASCADE`)
  await expect(save(store, ['b'])).rejects.toMatchObject({ code: 'STORAGE_SCHEMA_OUTDATED' })
  await store.migrate()
  await save(store, ['c'])
  expect(await stored()).toEqual(['c'])
})

test.each([
  ['a server that is not there', 'postgresql://app@localhost:1/app'],
  ['a socket that is not there', 'postgresql://app@/app?host=/nonesuch'],
])('reports that %s cannot be reached, without the password', async (_, url) => {
  const store = new PostgresStore({ url: url.replace('app@', 'app:hunter2@') })
  const fault = await store.listMessages(key).catch((error: unknown) => error)
  expect(fault).toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
    message: expect.stringContaining('Nothing was done'),
  })
  expect(String(fault)).not.toContain('hunter2')
  await store.close()
})

test('reports a missing database', async () => {
  const store = new PostgresStore({ url: server.url.replace(/\/\w+(\?|$)/, '/nonesuch$1') })
  await expect(store.listMessages(key)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  await store.close()
})

test('throws on invalid options', () => {
  for (const options of [{}, { url: '' }, { pool: undefined }, { pool: {} }]) {
    expect(() => new PostgresStore(options as unknown as { url: string })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
  }
})

test('survives a crash of its server', async () => {
  const own = 'crash' in server ? server : await startEmbeddedPostgres()
  const store = new PostgresStore({ url: own.url, schema: 'crash', migrate: 'auto' })
  try {
    await save(store, ['a'])
    await own.crash()
    await expect(save(store, ['b'])).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    await expect(store.listMessages(key)).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    await own.start()
    await save(store, ['c'])
    const { items } = await store.listMessages(key)
    expect(items.map(({ message }) => message.id)).toEqual(['a', 'c'])
  } finally {
    await store.close()
    if (own !== server) await own.stop()
  }
})
