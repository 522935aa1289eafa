import {
  fromRunColumns,
  type Owner,
  parseListRuns,
  parseRunKey,
  parseSaveRun,
  type RunLimits,
  type RunState,
  type RunStore,
  runExists,
  type StoredRun,
  type SuspendedRun,
  tooManyRuns,
} from '@millrace/core/storage'
import type { Database } from './database.ts'

/** How long the store remembers what became of a run, in milliseconds. */
const MEMORY_OF_USED_RUNS = 24 * 60 * 60 * 1000

export async function saveRun(
  { transaction, tables }: Database,
  stored: StoredRun,
  limits: RunLimits,
): Promise<void> {
  const { maxRuns = 1_000 } = limits
  const { runId, owner, threadId = null, expiresAt, run, snapshot } = parseSaveRun(stored, limits)
  const now = Date.now()
  await transaction(async (sql) => {
    // One at a time for each owner, or two would both find room for one.
    await sql('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`${tables.runs} ${owner}`])
    await sql(
      `DELETE FROM ${tables.runs} WHERE id IN (
         SELECT id FROM ${tables.runs} WHERE forget_at <= $1 ORDER BY id = $2 DESC LIMIT 100 FOR UPDATE SKIP LOCKED
       )`,
      [now, runId],
    )
    const [found] = await sql(
      `SELECT EXISTS (SELECT FROM ${tables.runs} WHERE id = $1) AS taken, count(*) AS count
       FROM ${tables.runs} WHERE owner = $2 AND state = 'suspended' AND expires_at > $3`,
      [runId, owner, now],
    )
    const count = Number(found?.count)
    if (found?.taken !== true && count >= maxRuns) throw tooManyRuns(count, maxRuns)
    const added = await sql(
      `INSERT INTO ${tables.runs} (id, owner, thread_id, state, expires_at, forget_at, run, snapshot)
       VALUES ($1, $2, $3, 'suspended', $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING 1`,
      [
        runId,
        owner,
        threadId,
        Math.ceil(expiresAt),
        Math.ceil(expiresAt) + MEMORY_OF_USED_RUNS,
        run,
        snapshot,
      ],
    )
    if (added.length === 0) throw runExists()
  })
}

export async function getRun(
  { read, tables }: Database,
  id: string,
  asked: Owner | undefined,
): ReturnType<RunStore['getRun']> {
  const { runId, owner } = parseRunKey(id, asked)
  const [row] = await read(`SELECT ${STATE} AS state, run, snapshot FROM ${tables.runs} WHERE ${IS_KNOWN}`, [
    runId,
    owner,
    Date.now(),
  ])
  const state = row?.state as RunState | undefined
  if (state !== 'suspended') return state && { state }
  return { state, run: fromRunColumns({ run: String(row?.run), snapshot: String(row?.snapshot) }) }
}

export async function claimRun(
  { read, write, tables }: Database,
  id: string,
  { as, asked }: { as: 'resumed' | 'released'; asked: Owner | undefined },
): Promise<RunState | undefined> {
  const { runId, owner } = parseRunKey(id, asked)
  const now = Date.now()
  // Of several who claim it at once, one waits for the other, and then finds nothing to claim.
  const claimed = await write(
    `UPDATE ${tables.runs} SET state = $4, forget_at = $5, run = NULL, snapshot = NULL
     WHERE ${IS_KNOWN} AND ${STATE} = 'suspended' RETURNING 1`,
    [runId, owner, now, as, now + MEMORY_OF_USED_RUNS],
  )
  if (claimed.length > 0) return 'suspended'
  const [row] = await read(`SELECT ${STATE} AS state FROM ${tables.runs} WHERE ${IS_KNOWN}`, [
    runId,
    owner,
    now,
  ])
  return row?.state as RunState | undefined
}

/** A run that has expired is known as such for a while; nothing has to write that down. */
const STATE = `CASE WHEN state = 'suspended' AND expires_at <= $3 THEN 'expired' ELSE state END`
const IS_KNOWN = 'id = $1 AND owner = $2 AND forget_at > $3'

export async function listRuns(
  { read, tables }: Database,
  filter: { threadId?: string; resourceId?: string },
): Promise<SuspendedRun[]> {
  const { owner = null, threadId = null } = parseListRuns(filter)
  const rows = await read(
    `SELECT run FROM ${tables.runs}
     WHERE state = 'suspended' AND expires_at > $1
       AND ($2::text IS NULL OR owner = $2) AND ($3::text IS NULL OR thread_id = $3)
     ORDER BY place`,
    [Date.now(), owner, threadId],
  )
  return rows.map(({ run }) => JSON.parse(String(run)) as SuspendedRun)
}
