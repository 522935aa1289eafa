import { PostgresStore } from '@millrace/store-postgres'
import pg from 'pg'
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest'
import { message } from './message.ts'
import { startPostgres } from './start-postgres.ts'

const server = await startPostgres()
const pool = new pg.Pool({ connectionString: server.url, max: 20 })
pool.on('error', () => {})
let schema = ''
let count = 0

beforeEach(async () => {
  schema = `concurrency_${process.pid}_${count++}`
  await new PostgresStore({ pool, schema }).migrate()
})
afterEach(async () => {
  await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
})
afterAll(async () => {
  await pool.end()
  await server.stop()
})

const writers = Array.from({ length: 50 }, (_, writer) => writer)
const turns = Array.from({ length: 6 }, (_, turn) => turn)
const threadId = (writer: number, turn: number): string => `thread-${(writer + turn) % 5}`

async function write(store: PostgresStore, writer: number): Promise<void> {
  for (const turn of turns) {
    const id = `${writer}-${turn}`
    await store.saveMessages({
      threadId: threadId(writer, turn),
      resourceId: 'ada',
      messages: [message(`${id}-a`, `question ${id}`), message(`${id}-b`, 'answer')],
    })
    await store.addToCounter({ resourceId: 'ada', key: 'turns', amount: 1 })
    await store.setKey({ resourceId: 'ada', key: `turn-${turn}`, value: 'x', ifAbsent: true })
  }
}

/** What is stored, whoever was first. */
async function contents(store: PostgresStore): Promise<unknown> {
  const { items } = await store.listThreads({ resourceId: 'ada' })
  const threads = items.map(async ({ id, messageCount }) => {
    const page = await store.listMessages({ threadId: id, resourceId: 'ada', limit: 10_000 })
    const ids = page.items.map(({ message }) => message.id)
    const turns = ids.flatMap((id, index) => (index % 2 === 0 ? [`${id} ${ids[index + 1]}`] : []))
    expect(page.items.map(({ sequence }) => sequence)).toEqual(ids.map((_, index) => index + 1))
    return { id, messageCount, turns: turns.sort() }
  })
  const found = await store.searchMessages({ resourceId: 'ada', query: 'answer', limit: 10_000 })
  return {
    threads: (await Promise.all(threads)).sort((left, right) => left.id.localeCompare(right.id)),
    found: found.map(({ message, score }) => `${message.id} ${score.toFixed(9)}`).sort(),
    turns: (await store.addToCounter({ resourceId: 'ada', key: 'turns', amount: 0 })).value,
  }
}

test('fifty concurrent writers leave the same data as one writer', async () => {
  const one = new PostgresStore({ pool, schema: `${schema}_one`, migrate: 'auto' })
  for (const writer of writers) await write(one, writer)
  const stores = writers.map(() => new PostgresStore({ url: server.url, schema, maxConnections: 1 }))
  await Promise.all(writers.map((writer, index) => write(stores[index] as PostgresStore, writer)))
  await Promise.all(stores.map((store) => store.close()))
  expect(await contents(new PostgresStore({ pool, schema }))).toEqual(await contents(one))
  await pool.query(`DROP SCHEMA ${schema}_one CASCADE`)
})

test('two hundred concurrent additions are counted exactly, with and without a limit', async () => {
  const store = new PostgresStore({ pool, schema })
  const add = (key: string, limit?: number) =>
    store.addToCounter({ key, amount: 1, limit, expiresIn: 3_600_000 })
  const limited = await Promise.all(Array.from({ length: 200 }, () => add('limited', 137)))
  expect(limited.filter(({ added }) => added)).toHaveLength(137)
  const free = await Promise.all(Array.from({ length: 200 }, () => add('free')))
  expect(new Set(free.map(({ value }) => value)).size).toBe(200)
  expect(await store.addToCounter({ key: 'limited', amount: 0 })).toMatchObject({ value: 137 })
  expect(await store.addToCounter({ key: 'free', amount: 0 })).toMatchObject({ value: 200 })
})

test('stores as many concurrent runs as the limit allows', async () => {
  const store = new PostgresStore({ pool, schema, maxRuns: 7 })
  const now = Date.now()
  const saved = await Promise.allSettled(
    Array.from({ length: 30 }, (_, index) =>
      store.saveRun({
        runId: `run-${index}`,
        agentName: 'agent',
        resourceId: 'ada',
        payload: null,
        createdAt: now,
        expiresAt: now + 3_600_000,
        snapshot: '{}',
      }),
    ),
  )
  expect(saved.filter(({ status }) => status === 'fulfilled')).toHaveLength(7)
  for (const outcome of saved) {
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'RUN_LIMIT_REACHED' })
  }
  expect(await store.listRuns({ resourceId: 'ada' })).toHaveLength(7)
})

test('deletes expired rows with other writes', async () => {
  const store = new PostgresStore({ pool, schema })
  const keys = Array.from({ length: 30 }, (_, index) => `key-${index}`)
  for (const key of keys) {
    await store.setKey({ key, value: 'x', expiresIn: 1 })
    await store.addToCounter({ key, amount: 1, expiresIn: 1 })
  }
  const rows = async (): Promise<number> => {
    const { rows } = await pool.query(
      `SELECT (SELECT count(*) FROM ${schema}.millrace_keys) + (SELECT count(*) FROM ${schema}.millrace_counters) AS rows`,
    )
    return Number(rows[0].rows)
  }
  let others = 0
  do {
    const key = `other-${others++}`
    await store.setKey({ key, value: 'x' })
    await store.addToCounter({ key, amount: 1 })
  } while ((await rows()) > 2 * others)
  expect(await store.getKey({ key: 'other-0' })).toBe('x')
})

test('close() waits for a call between two of its statements', async () => {
  const store = new PostgresStore({ url: server.url, schema })
  const vectors = [{ messageId: 'a', vector: [1, 0] }]
  await store.saveMessages({ threadId: 't', messages: [message('a', 'text')] })
  await store.saveVectors({ threadId: 't', model: 'm', vectors })
  await store.addToCounter({ key: 'k', amount: 2 })
  const calls = [
    store.addToCounter({ key: 'k', amount: 1, limit: 2 }),
    store.searchVectors({ model: 'm', vector: [1, 0] }),
    store.claimRun('nonesuch', { leaseMs: 1_000 }),
    store.saveMessages({ threadId: 't', messages: [message('b', 'text')] }),
  ]
  await store.close()
  expect(await Promise.all(calls)).toMatchObject([
    { added: false },
    { length: 1 },
    undefined,
    { messageCount: 2 },
  ])
  await expect(store.getThread({ threadId: 't' })).rejects.toMatchObject({ code: 'STORAGE_CLOSED' })
})
