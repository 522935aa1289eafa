import {
  type ClaimRunOptions,
  type FoundRun,
  fromRunCallColumns,
  fromRunColumns,
  leaseLost,
  type Owner,
  parseClaimRun,
  parseLeaseOptions,
  parseListRuns,
  parseRunKey,
  parseRunLease,
  parseSaveRun,
  parseUpdateRun,
  RUN_MEMORY,
  type RunCallColumns,
  type RunChanges,
  type RunClaim,
  type RunColumns,
  type RunFilter,
  type RunKey,
  type RunLease,
  type RunLimits,
  type RunState,
  runExists,
  type SaveRunOptions,
  type StoredRun,
  type SuspendedRun,
  toInterruptedRun,
  tooManyRuns,
} from '@millrace/core/storage'
import type { Database } from './database.ts'
import type { Row, Sql } from './postgres-pool.ts'
import type { Tables } from './tables.ts'
import { fromTextColumn, textColumn } from './text-column.ts'

// The column `state` is suspended, running, done or released. The other states are derived, not stored: a
// running run whose lease has ended is interrupted, and a run past its expiry time is expired. $1 is the id,
// $2 the owner, $3 the current time.
const STATE = `CASE WHEN state NOT IN ('suspended', 'running') THEN state
  WHEN expires_at <= $3 THEN 'expired'
  WHEN state = 'running' AND lease_until <= $3 THEN 'interrupted' ELSE state END`
const IS_VISIBLE = 'id = $1 AND owner = $2 AND forget_at > $3'
const MAY_RESUME = "expires_at > $3 AND (state = 'suspended' OR state = 'running' AND lease_until <= $3)"
/** Attempt $4 still holds the run, even if its lease has ended. */
const IS_HELD = "id = $1 AND owner = $2 AND state = 'running' AND expires_at > $3 AND attempt = $4"
const END = 'forget_at = $3::bigint + $5, run = NULL, snapshot = NULL, data = NULL'

export async function saveRun(
  { transaction, tables }: Database,
  stored: StoredRun,
  { after, lease, ...limits }: SaveRunOptions & RunLimits,
): Promise<void> {
  const { maxRuns = 1_000 } = limits
  const columns = parseSaveRun(stored, limits)
  const { runId, owner, threadId = null, run, snapshot } = columns
  const { leaseUntil = null, keptUntil = 0 } = lease ? parseLeaseOptions(lease) : {}
  const expiresAt = Math.ceil(Math.max(columns.expiresAt, keptUntil))
  const held = after && parseRunLease(after)
  if (after && held?.runId === runId) return suspendRun({ transaction, tables }, columns, after)
  const now = Date.now()
  await transaction(async (sql) => {
    // Serialized per owner. Otherwise two calls could both find room for one more run.
    await sql('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${tables.runs} ${owner}`])
    const forgotten = await sql(
      `DELETE FROM ${tables.runs} WHERE id IN (
         SELECT id FROM ${tables.runs} WHERE forget_at <= $1 ORDER BY id = $2 DESC LIMIT 100 FOR UPDATE SKIP LOCKED
       ) RETURNING ${textColumn('id', { name: 'id' })}`,
      [now, runId],
    )
    await deleteCalls(sql, { tables, runs: forgotten })
    if (after && held) {
      const parameters = [held.runId, held.owner, now, held.attempt, RUN_MEMORY]
      const ended = await sql(
        `UPDATE ${tables.runs} SET state = 'done', ${END} WHERE ${IS_HELD} RETURNING ${textColumn('id', { name: 'id' })}`,
        parameters,
      )
      if (ended.length === 0) throw leaseLost(after)
      await deleteCalls(sql, { tables, runs: ended })
    }
    const [found] = await sql(
      `SELECT EXISTS (SELECT FROM ${tables.runs} WHERE id = $1) AS taken, count(*) AS count
       FROM ${tables.runs} WHERE owner = $2 AND state IN ('suspended', 'running') AND expires_at > $3`,
      [runId, owner, now],
    )
    const count = Number(found?.count)
    if (found?.taken !== true && count >= maxRuns) throw tooManyRuns(count, maxRuns)
    const first = leaseUntil === null ? 0 : 1
    const added = await sql(
      `INSERT INTO ${tables.runs}
         (id, owner, thread_id, state, expires_at, forget_at, run, snapshot, attempt, version, lease_until)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10) ON CONFLICT DO NOTHING RETURNING 1`,
      [
        runId,
        owner,
        threadId,
        leaseUntil === null ? 'suspended' : 'running',
        expiresAt,
        expiresAt + RUN_MEMORY,
        run,
        snapshot,
        first,
        leaseUntil,
      ],
    )
    if (added.length === 0) throw runExists()
  })
}

/** Suspends a run that is running under this lease. */
async function suspendRun(
  { transaction, tables }: Pick<Database, 'transaction' | 'tables'>,
  { expiresAt, run, snapshot }: RunColumns,
  lease: RunLease,
): Promise<void> {
  const { runId, owner, attempt } = parseRunLease(lease)
  const until = Math.ceil(expiresAt)
  await transaction(async (sql) => {
    const suspended = await sql(
      `UPDATE ${tables.runs} SET state = 'suspended', expires_at = $5, forget_at = $6, run = $7, snapshot = $8,
         data = NULL, lease_until = NULL, version = version + 1
       WHERE ${IS_HELD} RETURNING ${textColumn('id', { name: 'id' })}`,
      [runId, owner, Date.now(), attempt, until, until + RUN_MEMORY, run, snapshot],
    )
    if (suspended.length === 0) throw leaseLost(lease)
    await deleteCalls(sql, { tables, runs: suspended })
  })
}

export async function getRun(
  { read, tables }: Database,
  id: string,
  asked: Owner | undefined,
): Promise<FoundRun | undefined> {
  const { runId, owner } = parseRunKey(id, asked)
  const [row] = await read(
    `SELECT ${STATE} AS state, run, snapshot, attempt, version, lease_until, ${textColumn('data', { name: 'data' })},
       ${callsOfRun(tables, "'[' || to_json(id) || ',' || to_json(call) || ',' || coalesce(to_json(outcome)::text, 'null') || ']'")}
     FROM ${tables.runs} WHERE ${IS_VISIBLE}`,
    [runId, owner, Date.now()],
  )
  if (!row) return undefined
  const state = row.state as RunState
  switch (state) {
    case 'suspended': {
      const version = Number(row.version)
      return { state, run: storedRun(row), ...(version > 0 && { version }) }
    }
    case 'interrupted':
      return {
        state,
        run: storedRun(row),
        attempt: Number(row.attempt),
        version: Number(row.version),
        ...(row.data !== null && { data: fromTextColumn(row.data) }),
        calls: callsOf(row).map(fromRunCallColumns),
      }
    case 'running':
      return { state, attempt: Number(row.attempt), leaseUntil: Number(row.lease_until) }
    default:
      return { state }
  }
}

export async function claimRun(
  { read, write, tables }: Database,
  id: string,
  options: ClaimRunOptions,
): Promise<RunClaim | undefined> {
  const { runId, owner, leaseUntil, keptUntil, data = null, ifVersion = null } = parseClaimRun(id, options)
  const now = Date.now()
  // If several processes claim the run at the same time, the others wait for the first, and then find nothing
  // to claim.
  const [claimed] = await write(
    `UPDATE ${tables.runs} AS run SET state = 'running', attempt = run.attempt + 1, version = run.version + 1,
       lease_until = $4, expires_at = greatest(run.expires_at, $5::bigint),
       forget_at = greatest(run.expires_at, $5::bigint) + $6, data = coalesce($7, run.data)
     FROM (SELECT state AS before FROM ${tables.runs} WHERE ${IS_VISIBLE} AND ${MAY_RESUME}
       AND ($8::bigint IS NULL OR version = $8::bigint) FOR UPDATE) AS found
     WHERE run.id = $1 AND run.owner = $2 RETURNING found.before, run.attempt`,
    [runId, owner, now, leaseUntil, keptUntil, RUN_MEMORY, data, ifVersion],
  )
  if (claimed) {
    const state = claimed.before === 'suspended' ? 'suspended' : 'interrupted'
    return { state, attempt: Number(claimed.attempt) }
  }
  const state = await stateOf({ read, tables }, { runId, owner })
  return state && { state }
}

export async function updateRun(
  { transaction, tables }: Database,
  lease: RunLease,
  { limits, ...changes }: RunChanges & { limits: RunLimits },
): Promise<void> {
  const columns = parseUpdateRun(lease, changes, limits)
  const { runId, owner, attempt, leaseUntil, keptUntil, snapshot, calls } = columns
  await transaction(async (sql) => {
    const held = await sql(
      `UPDATE ${tables.runs} SET lease_until = $5, expires_at = greatest(expires_at, $6::bigint),
         forget_at = greatest(expires_at, $6::bigint) + $7, version = version + 1, snapshot = coalesce($8, snapshot)
       WHERE ${IS_HELD} RETURNING ${textColumn('id', { name: 'id' })}`,
      [runId, owner, Date.now(), attempt, leaseUntil, keptUntil, RUN_MEMORY, snapshot ?? null],
    )
    if (held.length === 0) throw leaseLost(lease)
    if (snapshot !== undefined) await deleteCalls(sql, { tables, runs: held })
    if (calls.length === 0) return
    const entries = calls.map(({ toolCallId, call, outcome }) => [toolCallId, call, outcome ?? null])
    await sql(
      `INSERT INTO ${tables.runCalls} (run_id, id, place, call, outcome)
       SELECT $1, entry ->> 0,
         (SELECT coalesce(max(place), 0) FROM ${tables.runCalls} WHERE run_id = $1) + position, entry ->> 1, entry ->> 2
       FROM json_array_elements($2::json) WITH ORDINALITY AS entries (entry, position)
       ON CONFLICT (run_id, id) DO UPDATE SET call = excluded.call, outcome = excluded.outcome`,
      [runId, JSON.stringify(lastOfEach(entries))],
    )
  })
}

/** Keeps the last entry for each id, because one statement cannot update a row twice. */
function lastOfEach<ENTRY extends (string | null)[]>(entries: readonly ENTRY[]): ENTRY[] {
  return [...new Map(entries.map((entry) => [entry[0], entry])).values()]
}

export async function endRun(
  { transaction, tables }: Database,
  lease: RunLease,
  as: 'done' | 'interrupted' | 'released',
): Promise<void> {
  const { runId, owner, attempt } = parseRunLease(lease)
  const now = Date.now()
  await transaction(async (sql) => {
    const id = textColumn('id', { name: 'id' })
    const ended =
      as === 'interrupted'
        ? await sql(
            `UPDATE ${tables.runs} SET lease_until = $3, version = version + 1 WHERE ${IS_HELD} RETURNING ${id}`,
            [runId, owner, now, attempt],
          )
        : await sql(`UPDATE ${tables.runs} SET state = $6, ${END} WHERE ${IS_HELD} RETURNING ${id}`, [
            runId,
            owner,
            now,
            attempt,
            RUN_MEMORY,
            as,
          ])
    if (ended.length === 0) throw leaseLost(lease)
    if (as !== 'interrupted') await deleteCalls(sql, { tables, runs: ended })
  })
}

export async function releaseRun(
  { transaction, tables }: Database,
  id: string,
  asked: Owner | undefined,
): Promise<RunState | undefined> {
  const { runId, owner } = parseRunKey(id, asked)
  const now = Date.now()
  return transaction(async (sql) => {
    const [row] = await sql(`SELECT ${STATE} AS state FROM ${tables.runs} WHERE ${IS_VISIBLE} FOR UPDATE`, [
      runId,
      owner,
      now,
    ])
    const state = row?.state as RunState | undefined
    if (state !== 'suspended' && state !== 'interrupted') return state
    const released = await sql(
      `UPDATE ${tables.runs} SET state = 'released', forget_at = $3::bigint + $4, run = NULL, snapshot = NULL, data = NULL
       WHERE id = $1 AND owner = $2 RETURNING ${textColumn('id', { name: 'id' })}`,
      [runId, owner, now, RUN_MEMORY],
    )
    await deleteCalls(sql, { tables, runs: released })
    return state
  })
}

export async function listRuns(
  { read, tables }: Database,
  filter: RunFilter | undefined,
): Promise<SuspendedRun[]> {
  const { owner = null, threadId = null } = parseListRuns(filter)
  const rows = await read(
    `SELECT run, state, attempt, ${callsOfRun(tables, "'[' || to_json(id) || ',' || to_json(call) || ']'")}
     FROM ${tables.runs}
     WHERE ${MAY_RESUME} AND ($1::text IS NULL OR owner = $1) AND ($2::text IS NULL OR thread_id = $2)
     ORDER BY place`,
    [owner, threadId, Date.now()],
  )
  return rows.map((row) =>
    row.state === 'suspended'
      ? (JSON.parse(String(row.run)) as SuspendedRun)
      : toInterruptedRun(String(row.run), { attempts: Number(row.attempt), calls: callsOf(row) }),
  )
}

/**
 * Deletes the runs of an owner, or of one of its threads, with their journals. The journals are deleted by a
 * separate statement, which sees entries that were added until the run rows were locked.
 */
export async function deleteRuns(
  sql: Sql,
  { tables, owner, threadId }: { tables: Tables; owner: string; threadId?: string },
): Promise<void> {
  const runs = await sql(
    `DELETE FROM ${tables.runs} WHERE owner = $1 AND ($2::text IS NULL OR thread_id = $2)
     RETURNING ${textColumn('id', { name: 'id' })}`,
    [owner, threadId ?? null],
  )
  await deleteCalls(sql, { tables, runs })
}

async function deleteCalls(
  sql: Sql,
  { tables, runs }: { tables: Tables; runs: readonly Row[] },
): Promise<void> {
  if (runs.length === 0) return
  await sql(
    `DELETE FROM ${tables.runCalls} WHERE run_id = ANY (ARRAY(SELECT json_array_elements_text($1::json)))`,
    [JSON.stringify(runs.map(({ id }) => fromTextColumn(id)))],
  )
}

/** The journal of a run as a JSON list, in order. */
function callsOfRun(tables: Tables, entry: string): string {
  return `(SELECT '[' || string_agg(${entry}, ',' ORDER BY place) || ']' FROM ${tables.runCalls}
    WHERE run_id = ${tables.runs}.id) AS calls`
}

function callsOf({ calls }: Row): RunCallColumns[] {
  const list = JSON.parse(String(calls ?? '[]')) as [string, string, (string | null)?][]
  return list.map(([toolCallId, call, outcome]) => ({ toolCallId, call, outcome: outcome ?? undefined }))
}

function storedRun({ run, snapshot }: Row): StoredRun {
  return fromRunColumns({ run: String(run), snapshot: String(snapshot) })
}

async function stateOf(
  { read, tables }: Pick<Database, 'read' | 'tables'>,
  { runId, owner }: RunKey,
): Promise<RunState | undefined> {
  const [row] = await read(`SELECT ${STATE} AS state FROM ${tables.runs} WHERE ${IS_VISIBLE}`, [
    runId,
    owner,
    Date.now(),
  ])
  return row?.state as RunState | undefined
}
