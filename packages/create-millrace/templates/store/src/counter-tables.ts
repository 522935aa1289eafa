import * as store from '@millrace/core/storage'
import type { Database } from './database.ts'

/** Counters and keys. An expired row counts as deleted. */
export class CounterTables implements store.CounterStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  async addToCounter(options: store.AddToCounterOptions): Promise<store.Counter> {
    const { amount, limit, expiresAt, owner, key } = store.parseAddToCounter(options)
    return this.#database.transaction(() => {
      this.#forgetExpired('counters')
      const [found] = this.#database.all(
        'SELECT value, expires_at FROM counters WHERE owner = ? AND key = ?',
        [owner, key],
      )
      const sum = Number(found?.value ?? 0) + amount
      const added = limit === undefined || amount <= 0 || sum <= limit
      if (added && !Number.isSafeInteger(sum))
        throw store.invalidInput('The counter would exceed the safe integers. Count in a larger unit.')
      const begins = added && amount !== 0
      const end = found ? found.expires_at : begins ? expiresAt : undefined
      if (begins) {
        const insert =
          'INSERT INTO counters VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET value = excluded.value'
        this.#database.run(insert, [owner, key, sum, end])
      }
      const value = added ? sum : sum - amount
      return { value, added, ...(typeof end === 'number' && { expiresAt: new Date(end) }) }
    })
  }

  async getKey(options: store.KeyOptions): Promise<string | undefined> {
    const { owner, key } = store.parseKey(options)
    return this.#database.transaction(() => {
      this.#forgetExpired('keys')
      const [found] = this.#database.all('SELECT value FROM keys WHERE owner = ? AND key = ?', [owner, key])
      return found?.value as string | undefined
    })
  }

  async setKey(options: store.SetKeyOptions): Promise<boolean> {
    const { owner, key, value, expiresAt, ifAbsent } = store.parseSetKey(options)
    const otherwise = ifAbsent ? 'IGNORE' : 'REPLACE'
    return this.#database.transaction(() => {
      this.#forgetExpired('keys')
      return (
        this.#database.run(`INSERT OR ${otherwise} INTO keys VALUES (?, ?, ?, ?)`, [
          owner,
          key,
          value,
          expiresAt,
        ]) > 0
      )
    })
  }

  async deleteKey(options: store.KeyOptions): Promise<boolean> {
    const { owner, key } = store.parseKey(options)
    return this.#database.transaction(() => {
      this.#forgetExpired('keys')
      return this.#database.run('DELETE FROM keys WHERE owner = ? AND key = ?', [owner, key]) > 0
    })
  }

  #forgetExpired(table: 'counters' | 'keys'): void {
    this.#database.run(`DELETE FROM ${table} WHERE expires_at <= ?`, [Date.now()])
  }
}
