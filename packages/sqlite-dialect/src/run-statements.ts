import {
  fromRunColumns,
  type RunColumns,
  type RunState,
  type StoredRun,
  type SuspendedRun,
} from '@millrace/core/storage'
import type { Row, Statement } from './connection.ts'

/** How long the store remembers what became of a run, in milliseconds. */
const MEMORY_OF_USED_RUNS = 24 * 60 * 60 * 1000

/**
 * The third returns a row if the run was stored, the fourth one if there was a run with its id before, the fifth how many
 * runs its owner has suspended.
 */
export function saveRun(columns: RunColumns, { maxRuns }: { maxRuns: number }): Statement[] {
  const { runId, owner, threadId, expiresAt, run, snapshot } = columns
  const parameters = {
    id: runId,
    owner,
    thread: threadId ?? '',
    until: expiresAt,
    run,
    snapshot,
    maxRuns,
    now: Date.now(),
    memory: MEMORY_OF_USED_RUNS,
  }
  return SAVE_RUN.map((sql) => ({ sql, parameters }))
}

const COUNT_SUSPENDED =
  "SELECT count(*) AS count FROM millrace_runs WHERE resource = :owner AND state = 'suspended'"

const SAVE_RUN = [
  `UPDATE millrace_runs SET state = 'expired', until = until + :memory, run = NULL, snapshot = NULL
    WHERE state = 'suspended' AND until <= :now`,
  "DELETE FROM millrace_runs WHERE state IN ('resumed', 'released', 'expired') AND until <= :now",
  `INSERT INTO millrace_runs (id, resource, thread, state, until, run, snapshot)
    SELECT :id, :owner, :thread, 'suspended', :until, :run, :snapshot WHERE (${COUNT_SUSPENDED}) < :maxRuns
    ON CONFLICT (id) DO NOTHING RETURNING 1 AS isStored`,
  'SELECT 1 AS isThere FROM millrace_runs WHERE id = :id',
  COUNT_SUSPENDED,
]

// A run that has expired is known as such for a while, whether or not that was written down.
const STATE = "CASE WHEN state = 'suspended' AND until <= :now THEN 'expired' ELSE state END"
const IS_KNOWN = `id = :id AND resource = :owner
  AND until + CASE state WHEN 'suspended' THEN :memory ELSE 0 END > :now`

export interface RunKey {
  runId: string
  owner: string
}

export function getRun(key: RunKey): Statement {
  return { sql: GET_RUN, parameters: runParameters(key) }
}

const GET_RUN = `SELECT ${STATE} AS state, run, snapshot FROM millrace_runs WHERE ${IS_KNOWN}`

/** The first returns the state before. */
export function claimRun(key: RunKey, as: 'resumed' | 'released'): Statement[] {
  const parameters = { ...runParameters(key), as }
  return CLAIM_RUN.map((sql) => ({ sql, parameters }))
}

const CLAIM_RUN = [
  `SELECT ${STATE} AS state FROM millrace_runs WHERE ${IS_KNOWN}`,
  `UPDATE millrace_runs SET state = :as, until = :now + :memory, run = NULL, snapshot = NULL
    WHERE ${IS_KNOWN} AND state = 'suspended' AND until > :now`,
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
  return `SELECT run FROM millrace_runs WHERE ${condition} state = 'suspended' AND until > :now
    AND (:thread IS NULL OR thread = :thread) ORDER BY key`
}

export function toSuspendedRun({ run }: Row): SuspendedRun {
  return JSON.parse(run as string)
}

export function toStoredRun(
  row: Row,
): { state: 'suspended'; run: StoredRun } | { state: Exclude<RunState, 'suspended'> } {
  const { state, run, snapshot } = row as { state: RunState; run: string; snapshot: string }
  return state === 'suspended' ? { state, run: fromRunColumns({ run, snapshot }) } : { state }
}

function runParameters({ runId, owner }: RunKey): {
  id: string
  owner: string
  now: number
  memory: number
} {
  return { id: runId, owner, now: Date.now(), memory: MEMORY_OF_USED_RUNS }
}
