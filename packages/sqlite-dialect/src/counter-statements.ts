import type { KeyColumns } from '@millrace/core/storage'
import type { Statement } from './connection.ts'

/** Each write also deletes up to this many expired rows. */
const MAX_EXPIRED_PER_WRITE = 20

/**
 * The second statement returns the counter if the amount was added. The third returns its current value.
 * Neither returns a row if the counter does not exist.
 */
export function addToCounter(
  options: KeyColumns & { amount: number; limit: number | undefined; expiresAt: number | undefined },
): Statement[] {
  const { owner, key, amount, limit, expiresAt } = options
  const parameters = {
    owner,
    key,
    amount,
    limit: limit ?? null,
    expiresAt: expiresAt ?? null,
    now: Date.now(),
  }
  return ADD_TO_COUNTER.map((sql) => ({ sql, parameters }))
}

const CURRENT = '(expires_at IS NULL OR expires_at > :now)'
const SUM = `iif(${CURRENT}, value, 0) + :amount`
const MAY_ADD = '(:limit IS NULL OR :amount < 0 OR'
const IS_SAFE = 'BETWEEN -9007199254740991 AND 9007199254740991'

const ADD_TO_COUNTER = [
  deleteExpired('millrace_counters'),
  `INSERT INTO millrace_counters (resource, key, value, expires_at)
    SELECT :owner, :key, CAST(:amount AS INTEGER), :expiresAt
    WHERE :amount <> 0 AND (${MAY_ADD} :amount <= :limit) OR EXISTS
      (SELECT 1 FROM millrace_counters WHERE resource = :owner AND key = :key AND ${CURRENT}))
    ON CONFLICT (resource, key) DO UPDATE SET
      value = CAST(${SUM} AS INTEGER),
      expires_at = iif(${CURRENT}, expires_at, excluded.expires_at)
    WHERE ${MAY_ADD} ${SUM} <= :limit) AND ${SUM} ${IS_SAFE}
    RETURNING value, expires_at AS expiresAt`,
  `SELECT value, expires_at AS expiresAt FROM millrace_counters
    WHERE resource = :owner AND key = :key AND ${CURRENT}`,
]

export function getKey({ owner, key }: KeyColumns): Statement {
  return { sql: GET_KEY, parameters: { owner, key, now: Date.now() } }
}

const GET_KEY = `SELECT value FROM millrace_keys WHERE resource = :owner AND key = :key AND ${CURRENT}`

/** The second statement returns a row if the value was set. */
export function setKey(
  options: KeyColumns & { value: string; expiresAt: number | undefined; ifAbsent: boolean },
): Statement[] {
  const { owner, key, value, expiresAt, ifAbsent } = options
  const parameters = {
    owner,
    key,
    value,
    expiresAt: expiresAt ?? null,
    ifAbsent: ifAbsent ? 1 : 0,
    now: Date.now(),
  }
  return SET_KEY.map((sql) => ({ sql, parameters }))
}

const SET_KEY = [
  deleteExpired('millrace_keys'),
  `INSERT INTO millrace_keys (resource, key, value, expires_at) VALUES (:owner, :key, :value, :expiresAt)
    ON CONFLICT (resource, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at
    WHERE NOT :ifAbsent OR NOT ${CURRENT}
    RETURNING 1 AS isSet`,
]

/** Returns a row if the key had a value. */
export function deleteKey({ owner, key }: KeyColumns): Statement {
  return { sql: DELETE_KEY, parameters: { owner, key, now: Date.now() } }
}

const DELETE_KEY = `DELETE FROM millrace_keys WHERE resource = :owner AND key = :key AND ${CURRENT} RETURNING 1 AS wasThere`

function deleteExpired(table: string): string {
  return `DELETE FROM ${table} WHERE (resource, key) IN (SELECT resource, key FROM ${table}
    WHERE expires_at <= :now ORDER BY expires_at LIMIT ${MAX_EXPIRED_PER_WRITE})`
}
