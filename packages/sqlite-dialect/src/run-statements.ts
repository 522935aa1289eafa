import {
  type ClaimRunColumns,
  type FoundRun,
  fromRunCallColumns,
  fromRunColumns,
  type HeldRunColumns,
  type LeaseColumns,
  RUN_MEMORY,
  type RunCallColumns,
  type RunColumns,
  type RunKey,
  type RunState,
  type SuspendedRun,
  toInterruptedRun,
  type UpdateRunColumns,
} from '@millrace/core/storage'
import type { Row, SQLiteValue, Statement } from './connection.ts'

// The column `state` is suspended, running, done, released or expired. A running run whose lease has ended
// counts as interrupted, and a run past its expiry time as expired, even if the column was not updated.
const STATE = `CASE WHEN state NOT IN ('suspended', 'running') THEN state
  WHEN until <= :now THEN 'expired'
  WHEN state = 'running' AND lease_until <= :now THEN 'interrupted' ELSE state END`
const IS_KNOWN = `id = :id AND resource = :owner
  AND until + CASE WHEN state IN ('suspended', 'running') THEN :memory ELSE 0 END > :now`
const MAY_RESUME = "until > :now AND (state = 'suspended' OR state = 'running' AND lease_until <= :now)"
/** The attempt still holds the run, even if its lease has ended. */
const IS_HELD = `id = :held AND resource = :owner AND state = 'running' AND attempt = :attempt AND until > :now`

const COUNT_OPEN =
  "SELECT count(*) AS count FROM millrace_runs WHERE resource = :owner AND state IN ('suspended', 'running')"

export interface SaveRunColumns {
  columns: RunColumns
  after: HeldRunColumns | undefined
  lease: LeaseColumns | undefined
  maxRuns: number
}

/**
 * The third statement returns a row if the attempt that continues still holds its run, the fourth if the run
 * was stored, the sixth if a run with its id existed before. The last one returns the number of runs of the
 * owner.
 */
export function saveRun({ columns, after, lease, maxRuns }: SaveRunColumns): Statement[] {
  const { runId, owner, threadId, expiresAt, run, snapshot } = columns
  const parameters = {
    ...times(),
    id: runId,
    owner,
    thread: threadId ?? '',
    until: Math.max(expiresAt, lease?.keptUntil ?? 0),
    leaseUntil: lease?.leaseUntil ?? null,
    run,
    snapshot,
    maxRuns,
    held: after?.runId ?? null,
    attempt: after?.attempt ?? null,
  }
  return SAVE_RUN.map((sql) => ({ sql, parameters }))
}

const SAVE_RUN = [
  `UPDATE millrace_runs SET state = 'expired', until = until + :memory, run = NULL, snapshot = NULL, data = NULL
    WHERE state IN ('suspended', 'running') AND until <= :now`,
  "DELETE FROM millrace_runs WHERE state IN ('done', 'released', 'expired') AND until <= :now",
  `SELECT 1 AS isHeld FROM millrace_runs WHERE ${IS_HELD}`,
  `INSERT INTO millrace_runs (id, resource, thread, state, until, run, snapshot, attempt, version, lease_until)
    SELECT :id, :owner, :thread, iif(:leaseUntil IS NULL, 'suspended', 'running'), :until, :run, :snapshot,
      iif(:leaseUntil IS NULL, 0, 1), iif(:leaseUntil IS NULL, 0, 1), :leaseUntil
    WHERE (:held IS NULL OR EXISTS (SELECT 1 FROM millrace_runs WHERE ${IS_HELD}))
      AND (${COUNT_OPEN}) - iif(:held IS NULL, 0, 1) < :maxRuns
    ON CONFLICT (id) DO NOTHING RETURNING 1 AS isStored`,
  // Only if the previous statement has stored a run.
  `UPDATE millrace_runs SET state = 'done', until = :now + :memory, run = NULL, snapshot = NULL, data = NULL
    WHERE ${IS_HELD} AND changes() > 0`,
  'SELECT 1 AS isThere FROM millrace_runs WHERE id = :id',
  COUNT_OPEN,
]

/**
 * Suspends a run that is running under this lease. The first statement returns a row if the attempt still
 * holds it.
 */
export function suspendRun(columns: RunColumns, { attempt }: HeldRunColumns): Statement[] {
  const { runId, owner, expiresAt, run, snapshot } = columns
  const parameters = { ...times(), held: runId, owner, attempt, until: expiresAt, run, snapshot }
  return SUSPEND_RUN.map((sql) => ({ sql, parameters }))
}

const SUSPEND_RUN = [
  `UPDATE millrace_runs SET state = 'suspended', until = :until, run = :run, snapshot = :snapshot, data = NULL,
      lease_until = NULL, version = version + 1
    WHERE ${IS_HELD} RETURNING 1 AS isHeld`,
  "DELETE FROM millrace_run_calls WHERE run = :held AND EXISTS (SELECT 1 FROM millrace_runs WHERE id = :held AND resource = :owner AND state = 'suspended')",
]

export function getRun(key: RunKey): Statement {
  return { sql: GET_RUN, parameters: keyParameters(key) }
}

// The calls as a JSON list, in order.
const GET_RUN = `SELECT ${STATE} AS state, run, snapshot, attempt, version, lease_until AS leaseUntil, data,
    (SELECT json_group_array(json_array(id, call, outcome)) FROM
      (SELECT c.id, c.call, c.outcome FROM millrace_run_calls c WHERE c.run = :id ORDER BY c.place)) AS calls
  FROM millrace_runs WHERE ${IS_KNOWN}`

/** The first statement returns the previous state, the second the attempt if the run was claimed. */
export function claimRun({ leaseUntil, keptUntil, data, ifVersion, ...key }: ClaimRunColumns): Statement[] {
  const parameters = {
    ...keyParameters(key),
    leaseUntil,
    keptUntil,
    data: data ?? null,
    ifVersion: ifVersion ?? null,
  }
  return CLAIM_RUN.map((sql) => ({ sql, parameters }))
}

const STATE_BEFORE = `SELECT ${STATE} AS state FROM millrace_runs WHERE ${IS_KNOWN}`

const CLAIM_RUN = [
  STATE_BEFORE,
  `UPDATE millrace_runs SET state = 'running', attempt = attempt + 1, version = version + 1, lease_until = :leaseUntil,
      until = max(until, :keptUntil), data = coalesce(:data, data)
    WHERE ${IS_KNOWN} AND ${MAY_RESUME} AND (:ifVersion IS NULL OR version = :ifVersion)
    RETURNING attempt`,
]

/** The first statement returns a row if the attempt still holds the run. */
export function updateRun(columns: UpdateRunColumns): Statement[] {
  const { leaseUntil, keptUntil, snapshot, calls } = columns
  const parameters = { ...heldParameters(columns), leaseUntil, keptUntil, snapshot: snapshot ?? null }
  const statements: Statement[] = [{ sql: RENEW_RUN, parameters }]
  if (snapshot !== undefined) statements.push({ sql: EMPTY_JOURNAL, parameters })
  if (calls.length === 0) return statements
  const entries = calls.map(({ toolCallId, call, outcome }) => [toolCallId, call, outcome ?? null])
  statements.push({ sql: SAVE_CALLS, parameters: { ...parameters, entries: JSON.stringify(entries) } })
  return statements
}

const RENEW_RUN = `UPDATE millrace_runs SET lease_until = :leaseUntil, until = max(until, :keptUntil),
    version = version + 1, snapshot = coalesce(:snapshot, snapshot)
  WHERE ${IS_HELD} RETURNING 1 AS isHeld`

const IF_HELD = `EXISTS (SELECT 1 FROM millrace_runs WHERE ${IS_HELD})`

const EMPTY_JOURNAL = `DELETE FROM millrace_run_calls WHERE run = :held AND ${IF_HELD}`

const SAVE_CALLS = `INSERT INTO millrace_run_calls (run, id, place, call, outcome)
  SELECT :held, value ->> 0,
    (SELECT coalesce(max(place), 0) FROM millrace_run_calls WHERE run = :held) + key + 1, value ->> 1, value ->> 2
  FROM json_each(:entries) WHERE ${IF_HELD}
  ON CONFLICT (run, id) DO UPDATE SET call = excluded.call, outcome = excluded.outcome`

/** Returns a row if the attempt still held the run. */
export function endRun(held: HeldRunColumns, as: 'done' | 'interrupted' | 'released'): Statement {
  return { sql: END_RUN[as], parameters: heldParameters(held) }
}

const END_RUN = {
  done: endRunAs('done'),
  released: endRunAs('released'),
  interrupted: `UPDATE millrace_runs SET lease_until = :now, version = version + 1 WHERE ${IS_HELD} RETURNING 1 AS isHeld`,
}

function endRunAs(state: 'done' | 'released'): string {
  return `UPDATE millrace_runs SET state = '${state}', until = :now + :memory, run = NULL, snapshot = NULL, data = NULL
    WHERE ${IS_HELD} RETURNING 1 AS isHeld`
}

/** The first statement returns the previous state. */
export function releaseRun(key: RunKey): Statement[] {
  const parameters = keyParameters(key)
  return RELEASE_RUN.map((sql) => ({ sql, parameters }))
}

const RELEASE_RUN = [
  STATE_BEFORE,
  `UPDATE millrace_runs SET state = 'released', until = :now + :memory, run = NULL, snapshot = NULL, data = NULL
    WHERE ${IS_KNOWN} AND ${MAY_RESUME}`,
]

export function listRuns({
  owner,
  threadId,
}: {
  owner: string | undefined
  threadId: string | undefined
}): Statement {
  const parameters = { owner: owner ?? null, thread: threadId ?? null, now: Date.now() }
  return { sql: owner === undefined ? LIST_RUNS : LIST_RUNS_OF_OWNER, parameters }
}

const LIST_RUNS = listRunsWhere('')
const LIST_RUNS_OF_OWNER = listRunsWhere('resource = :owner AND')

function listRunsWhere(condition: string): string {
  return `SELECT run, state, attempt,
      (SELECT json_group_array(json_array(id, call)) FROM
        (SELECT c.id, c.call FROM millrace_run_calls c WHERE c.run = r.id ORDER BY c.place)) AS calls
    FROM millrace_runs r WHERE ${condition} state IN ('suspended', 'running') AND ${MAY_RESUME}
    AND (:thread IS NULL OR thread = :thread) ORDER BY key`
}

export function toSuspendedRun(row: Row): SuspendedRun {
  const { run, state, attempt } = row as { run: string; state: RunState; attempt: number }
  return state === 'suspended'
    ? (JSON.parse(run) as SuspendedRun)
    : toInterruptedRun(run, { attempts: attempt, calls: callsOf(row) })
}

interface RunRow {
  state: RunState
  run: string
  snapshot: string
  attempt: number
  version: number
  leaseUntil: number
  data: string | null
}

export function toFoundRun(row: Row): FoundRun {
  const { state, run, snapshot, attempt, version, leaseUntil, data } = row as unknown as RunRow
  switch (state) {
    case 'suspended':
      return { state, run: fromRunColumns({ run, snapshot }), ...(version > 0 && { version }) }
    case 'interrupted':
      return {
        state,
        run: fromRunColumns({ run, snapshot }),
        attempt,
        version,
        ...(data !== null && { data }),
        calls: callsOf(row).map(fromRunCallColumns),
      }
    case 'running':
      return { state, attempt, leaseUntil }
    default:
      return { state }
  }
}

function callsOf({ calls }: Row): RunCallColumns[] {
  const list = JSON.parse(calls as string) as [string, string, (string | null)?][]
  return list.map(([toolCallId, call, outcome]) => ({ toolCallId, call, outcome: outcome ?? undefined }))
}

function times(): { now: number; memory: number } {
  return { now: Date.now(), memory: RUN_MEMORY }
}

function keyParameters({ runId, owner }: RunKey): Record<string, SQLiteValue> {
  return { id: runId, owner, ...times() }
}

function heldParameters({ runId, owner, attempt }: HeldRunColumns): Record<string, SQLiteValue> {
  return { held: runId, owner, attempt, ...times() }
}
