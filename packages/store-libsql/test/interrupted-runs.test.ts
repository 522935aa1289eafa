import { type Client, createClient } from '@libsql/client'
import { LibSQLStore } from '@millrace/store-libsql'
import { afterEach, expect, test } from 'vitest'
import { expectSettled, type FailingStore, failEverywhere, pay } from '../../testing/test/paying-run.ts'
import { pathOf, remove } from './open-store.ts'

const name = `millrace_libsql_interrupted_runs_${process.pid}`
const url = `file:${pathOf(name)}`
afterEach(() => remove(name))

/** Where a write fails: `after`, it was executed, and the caller gets an error. */
type When = 'before' | 'after'

/** A store whose client fails at its `at`-th write. */
function failing(at: number, when: When): FailingStore {
  const client = createClient({ url })
  let writes = 0
  const failingClient = new Proxy(client, {
    get(target, key) {
      const value = Reflect.get(target, key)
      if (typeof value !== 'function') return value
      if (key !== 'batch') return value.bind(target)
      return async (...values: Parameters<Client['batch']>) => {
        const isLast = ++writes === at
        if (isLast && when === 'before') throw ioError()
        const results = await target.batch(...values)
        if (isLast) throw ioError()
        return results
      }
    },
  })
  const store = new LibSQLStore({ client: failingClient, migrate: 'manual' })
  const close = async (): Promise<void> => {
    await store.close()
    client.close()
  }
  return { store, count: () => writes, close }
}

function ioError(): Error {
  return Object.assign(new Error('SQLITE_IOERR: disk I/O error'), { code: 'SQLITE_IOERR' })
}

test.each<When>(['before', 'after'])(
  'an I/O error %s any write loses no call, and has none executed twice',
  async (when) => {
    const healthy = new LibSQLStore({ url })
    await healthy.migrate()
    await failEverywhere({
      open: (at) => failing(at, when),
      healthy,
      every: 2,
      // A run whose end was stored has come to it, though its caller was told of an error.
      isStored: (at) => at > 1 && when === 'before',
    })
    await healthy.close()
  },
)

test('a full disk at any write loses no call, and has none executed twice', async () => {
  const outcomes = new Set<string>()
  const step = process.env.MILLRACE_THOROUGH === '1' ? 1 : 2
  for (let room = 0; room < 30; room += step) {
    remove(name)
    const client = createClient({ url, concurrency: 1 })
    const store = new LibSQLStore({ client })
    await store.migrate()
    const pages = Number((await client.execute('PRAGMA page_count')).rows[0]?.page_count)
    await client.execute(`PRAGMA max_page_count = ${pages + room}`)
    const payment = await pay(store)
    outcomes.add(payment.result?.status ?? 'failed')
    await client.execute('PRAGMA max_page_count = 1000000')
    await expectSettled(store, payment)
    await store.close()
    client.close()
    if (payment.result?.status === 'completed') break
  }
  expect(outcomes).toContain('completed')
  expect(outcomes.size).toBeGreaterThan(1)
})
