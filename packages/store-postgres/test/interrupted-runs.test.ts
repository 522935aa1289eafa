import { PostgresStore } from '@millrace/store-postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FailingStore, failEverywhere } from '../../testing/test/paying-run.ts'
import { startPostgres } from './start-postgres.ts'

const server = await startPostgres()
const pool = new pg.Pool({ connectionString: server.url, max: 4 })
const schema = `interrupted_${process.pid}`
const healthy = new PostgresStore({ pool, schema })
beforeAll(() => healthy.migrate())
afterAll(async () => {
  await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
  await pool.end()
  await server.stop()
})

interface Failure {
  /** Of SQLSTATE; none where the connection breaks off. */
  code?: string
  message: string
  /** `after`: the statement was executed, and the caller gets an error. */
  when: 'before' | 'after'
}

type Query = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>

/** A store whose driver fails at its `at`-th statement. */
function failing(at: number, failure: Failure): FailingStore {
  let statements = 0
  const failingQuery =
    (query: Query): Query =>
    async (text, values) => {
      const isLast = ++statements === at
      if (isLast && failure.when === 'before') throw errorOf(failure)
      const result = await query(text, values)
      if (isLast) throw errorOf(failure)
      return result
    }
  const store = new PostgresStore({
    schema,
    pool: {
      query: failingQuery((text, values) => pool.query(text, values)),
      async connect() {
        const client = await pool.connect()
        return {
          query: failingQuery((text, values) => client.query(text, values)),
          release: (error) => client.release(error),
        }
      },
    },
  })
  return { store, count: () => statements, close: () => store.close() }
}

function errorOf({ code, message }: Failure): Error {
  return Object.assign(new Error(message), code !== undefined && { code })
}

test.each<[string, Failure]>([
  ['an I/O error at', { code: '58030', message: 'could not write block', when: 'before' }],
  ['a full disk at', { code: '53100', message: 'could not extend file', when: 'before' }],
  ['a connection that breaks off before', { message: 'Connection terminated unexpectedly', when: 'before' }],
  ['a connection that breaks off after', { message: 'Connection terminated unexpectedly', when: 'after' }],
])(
  '%s any statement loses no call, and has none executed twice',
  async (_, failure) => {
    let opened = 0
    await failEverywhere({
      open: (at) => {
        opened++
        return failing(at, failure)
      },
      healthy,
      every: 6,
    })
    expect(opened).toBeGreaterThan(3)
  },
  process.env.MILLRACE_THOROUGH === '1' ? 600_000 : 60_000,
)
