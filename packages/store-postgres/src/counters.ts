import {
  type AddToCounterOptions,
  type Counter,
  invalidInput,
  type KeyOptions,
  parseAddToCounter,
  parseKey,
  parseSetKey,
  type SetKeyOptions,
} from '@millrace/core/storage'
import type { Database } from './database.ts'
import { fromTextColumn, textColumn } from './text-column.ts'

export async function addToCounter(
  { read, write, tables }: Database,
  options: AddToCounterOptions,
): Promise<Counter> {
  const { owner, key, amount, limit, expiresAt } = parseAddToCounter(options)
  for (;;) {
    if (amount !== 0) {
      const now = Date.now()
      // Either updates an existing counter or inserts a new one. If the row was inserted or deleted
      // concurrently, neither happens, and the loop retries.
      const [row] = await write(
        `WITH changed AS (
           UPDATE ${tables.counters} SET
             value = CASE WHEN expires_at <= $6 THEN 0 ELSE value END + $3,
             expires_at = CASE WHEN expires_at <= $6 THEN $5 ELSE expires_at END
           WHERE owner = $1 AND key = $2
             AND CASE WHEN expires_at <= $6 THEN 0 ELSE value END + $3::bigint BETWEEN $7 AND $4
           RETURNING value, expires_at
         ), begun AS (
           INSERT INTO ${tables.counters} (owner, key, value, expires_at)
           SELECT $1, $2, $3, $5 WHERE $3 <= $4 AND NOT EXISTS (SELECT FROM changed)
           ON CONFLICT DO NOTHING
           RETURNING value, expires_at
         ), ${sweep(tables.counters, { after: 'begun', now: '$6' })}
         SELECT value, expires_at FROM changed UNION ALL SELECT value, expires_at FROM begun`,
        [
          owner,
          key,
          amount,
          amount > 0 ? Math.min(limit ?? MAX_VALUE, MAX_VALUE) : MAX_VALUE,
          expiresAt ?? null,
          now,
          MIN_VALUE,
        ],
      )
      if (row) return toCounter(row, true)
    }
    const [row] = await read(
      `SELECT value, expires_at FROM ${tables.counters}
       WHERE owner = $1 AND key = $2 AND (expires_at > $3 OR expires_at IS NULL)`,
      [owner, key, Date.now()],
    )
    const counter = row ? toCounter(row, amount === 0) : { value: 0, added: amount === 0 }
    const value = counter.value + amount
    if (amount === 0 || (amount > 0 && limit !== undefined && value > limit)) return counter
    if (!Number.isSafeInteger(value)) {
      throw invalidInput('The counter would exceed the safe integers. Count in a larger unit.')
    }
  }
}

const MAX_VALUE = Number.MAX_SAFE_INTEGER
const MIN_VALUE = Number.MIN_SAFE_INTEGER

function toCounter(row: Record<string, unknown>, added: boolean): Counter {
  return {
    value: Number(row.value),
    added,
    ...(row.expires_at !== null && { expiresAt: new Date(Number(row.expires_at)) }),
  }
}

export async function getKey({ read, tables }: Database, options: KeyOptions): Promise<string | undefined> {
  const { owner, key } = parseKey(options)
  const [row] = await read(
    `SELECT ${textColumn('value', { name: 'value' })} FROM ${tables.keys} WHERE owner = $1 AND key = $2 AND (expires_at > $3 OR expires_at IS NULL)`,
    [owner, key, Date.now()],
  )
  return row && fromTextColumn(row.value)
}

export async function setKey({ write, tables }: Database, options: SetKeyOptions): Promise<boolean> {
  const { owner, key, value, expiresAt, ifAbsent } = parseSetKey(options)
  const rows = await write(
    `WITH written AS (
       INSERT INTO ${tables.keys} AS old (owner, key, value, expires_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (owner, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
         WHERE NOT $5 OR old.expires_at <= $6
       RETURNING 1
     ), ${sweep(tables.keys, { after: 'written', now: '$6' })}
     SELECT FROM written`,
    [owner, key, value, expiresAt ?? null, ifAbsent, Date.now()],
  )
  return rows.length > 0
}

export async function deleteKey({ write, tables }: Database, options: KeyOptions): Promise<boolean> {
  const { owner, key } = parseKey(options)
  const [row] = await write(
    `DELETE FROM ${tables.keys} WHERE owner = $1 AND key = $2 RETURNING coalesce(expires_at > $3, true) AS valid`,
    [owner, key, Date.now()],
  )
  return row?.valid === true
}

/**
 * Deletes some expired rows of any owner with each write, so that they do not accumulate and no background
 * job is needed. It runs after the write and skips locked rows, so that calls cannot deadlock.
 */
function sweep(table: string, { after, now }: { after: string; now: string }): string {
  return `swept AS (
    DELETE FROM ${table} WHERE ctid IN (
      SELECT ctid FROM ${table}
      WHERE (SELECT count(*) FROM ${after}) > 0 AND expires_at <= ${now} AND (owner, key) <> ($1, $2)
      ORDER BY expires_at LIMIT 8 FOR UPDATE SKIP LOCKED
    )
  )`
}
