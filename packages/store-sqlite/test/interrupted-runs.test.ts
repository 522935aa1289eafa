import { SQLiteStore } from '@millrace/store-sqlite'
import Database from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import { expectSettled, type FailingStore, failEverywhere, pay } from '../../testing/test/paying-run.ts'
import { pathOf, remove } from './open-store.ts'

const name = `millrace_interrupted_runs_${process.pid}`
afterEach(() => remove(name))

/** A store whose `at`-th transaction fails with an I/O error: as it begins, or as it commits. */
function failing(at: number, when: 'BEGIN IMMEDIATE' | 'COMMIT'): FailingStore {
  const database = new Database(pathOf(name))
  database.pragma('journal_mode = WAL')
  let transactions = 0
  const prepare = database.prepare.bind(database)
  database.prepare = ((sql: string) => {
    const statement = prepare(sql)
    if (sql !== when) return statement
    const run = statement.run.bind(statement)
    statement.run = (...parameters: never[]) => {
      if (++transactions === at) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })
      return run(...parameters)
    }
    return statement
  }) as typeof database.prepare
  const store = new SQLiteStore({ database, migrate: 'manual' })
  const close = async (): Promise<void> => {
    await store.close()
    database.close()
  }
  return { store, count: () => transactions, close }
}

test.each(['BEGIN IMMEDIATE', 'COMMIT'] as const)(
  'an I/O error at any write (%s) loses no call, and has none executed twice',
  async (when) => {
    const healthy = new SQLiteStore({ path: pathOf(name) })
    await healthy.migrate()
    // Whoever saw a run end with an error finds it again, unless nothing of it was ever stored.
    await failEverywhere({ open: (at) => failing(at, when), healthy, isStored: (at) => at > 1 })
    await healthy.close()
  },
)

test('a full disk at any write loses no call, and has none executed twice', async () => {
  const outcomes = new Set<string>()
  for (let room = 0; room < 30; room++) {
    remove(name)
    const database = new Database(pathOf(name))
    database.pragma('journal_mode = WAL')
    const store = new SQLiteStore({ database })
    await store.migrate()
    const pages = Number(database.pragma('page_count', { simple: true }))
    database.pragma(`max_page_count = ${pages + room}`)
    const payment = await pay(store)
    outcomes.add(payment.result?.status ?? 'failed')
    database.pragma('max_page_count = 1000000')
    await expectSettled(store, payment)
    await store.close()
    database.close()
    if (payment.result?.status === 'completed') break
  }
  expect(outcomes).toContain('completed')
  expect(outcomes.size).toBeGreaterThan(1)
})
