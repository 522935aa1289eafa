import * as store from '@millrace/core/storage'
import type { Database, Row } from './database.ts'

interface Found {
  state: store.RunState
  attempt: number
  version: number
  run: string
  snapshot: string
  data: string | null
  lease_until: number | null
}

/**
 * Stored runs and their journals. The column `state` has the last written state. Whether a lease has ended or
 * a run has expired follows from its times.
 */
export class RunTable implements store.RunStore {
  readonly #database: Database
  readonly #limits: store.RunLimits

  constructor(database: Database, limits: store.RunLimits) {
    this.#database = database
    this.#limits = limits
  }

  async saveRun(stored: store.StoredRun, { after, lease }: store.SaveRunOptions = {}): Promise<void> {
    const { maxRuns = 1_000 } = this.#limits
    const columns = store.parseSaveRun(stored, this.#limits)
    const { runId, owner, threadId, run, snapshot } = columns
    const { leaseUntil = null, keptUntil = 0 } = lease ? store.parseLeaseOptions(lease) : {}
    const expiresAt = Math.max(columns.expiresAt, keptUntil)
    this.#database.transaction(() => {
      const now = Date.now()
      const ended = after && this.#held(after)
      if (after && ended && after.runId === runId) {
        const suspend = `UPDATE runs SET state = 'suspended', expires_at = ?, run = ?, snapshot = ?, data = NULL,
          lease_until = NULL, version = version + 1 WHERE run_id = ?`
        this.#database.run(suspend, [expiresAt, run, snapshot, runId])
        this.#emptyJournal(runId)
        return
      }
      if (after && ended) this.#use(after.runId, 'done')
      if (this.#database.all('SELECT 1 FROM runs WHERE run_id = ?', [runId]).length > 0)
        throw store.runExists()
      const counting = `SELECT count(*) AS count FROM runs
        WHERE owner = ? AND state IN ('suspended', 'running') AND expires_at > ?`
      const count = this.#database.all(counting, [owner, now])[0]?.count as number
      if (count >= maxRuns) throw store.tooManyRuns(count, maxRuns)
      const insert = `INSERT INTO runs
        (run_id, owner, thread_id, expires_at, run, snapshot, state, lease_until, attempt, version)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, iif(?7 IS NULL, 'suspended', 'running'), ?7, ?7 IS NOT NULL, ?7 IS NOT NULL)`
      this.#database.run(insert, [runId, owner, threadId, expiresAt, run, snapshot, leaseUntil])
      // Finished runs are kept for a day.
      const forgotten = [now - store.RUN_MEMORY, runId]
      this.#database.run('DELETE FROM runs WHERE expires_at < ? AND run_id <> ?', forgotten)
    })
  }

  async getRun(runId: string, owner?: store.Owner): Promise<store.FoundRun | undefined> {
    const key = store.parseRunKey(runId, owner)
    return this.#database.transaction(() => {
      const found = this.#findRun(key)
      if (!found) return undefined
      const { state, attempt, version, data } = found
      const run = (): store.StoredRun => store.fromRunColumns(found)
      switch (state) {
        case 'suspended':
          return { state, run: run(), ...(version > 0 && { version }) }
        case 'interrupted': {
          const calls = this.#callsOf(key.runId).map(store.fromRunCallColumns)
          return { state, run: run(), attempt, version, ...(data !== null && { data }), calls }
        }
        case 'running':
          return { state, attempt, leaseUntil: found.lease_until as number }
        default:
          return { state }
      }
    })
  }

  async claimRun(runId: string, options: store.ClaimRunOptions): Promise<store.RunClaim | undefined> {
    const { leaseUntil, keptUntil, data, ifVersion, ...key } = store.parseClaimRun(runId, options)
    return this.#database.transaction(() => {
      const found = this.#findRun(key)
      if (!found) return undefined
      const { state, version, attempt } = found
      if (state !== 'suspended' && state !== 'interrupted') return { state }
      if (ifVersion !== undefined && ifVersion !== version) return { state }
      const claim = `UPDATE runs SET state = 'running', attempt = attempt + 1, version = version + 1, lease_until = ?,
        expires_at = max(expires_at, ?), data = coalesce(?, data) WHERE run_id = ?`
      this.#database.run(claim, [leaseUntil, keptUntil, data, key.runId])
      return { state, attempt: attempt + 1 }
    })
  }

  async updateRun(lease: store.RunLease, changes: store.RunChanges): Promise<void> {
    const columns = store.parseUpdateRun(lease, changes, this.#limits)
    const { runId, leaseUntil, keptUntil, snapshot, calls } = columns
    this.#database.transaction(() => {
      this.#held(lease)
      const update = `UPDATE runs SET version = version + 1, lease_until = ?, expires_at = max(expires_at, ?),
        snapshot = coalesce(?, snapshot) WHERE run_id = ?`
      this.#database.run(update, [leaseUntil, keptUntil, snapshot, runId])
      if (snapshot !== undefined) this.#emptyJournal(runId)
      for (const { toolCallId, call, outcome } of calls) {
        const upsert = `INSERT INTO run_calls (run_id, call_id, call, outcome) VALUES (?, ?, ?, ?)
          ON CONFLICT (run_id, call_id) DO UPDATE SET call = excluded.call, outcome = excluded.outcome`
        this.#database.run(upsert, [runId, toolCallId, call, outcome])
      }
    })
  }

  async endRun(lease: store.RunLease, as: 'done' | 'interrupted' | 'released'): Promise<void> {
    this.#database.transaction(() => {
      this.#held(lease)
      if (as !== 'interrupted') return this.#use(lease.runId, as)
      const expire = 'UPDATE runs SET lease_until = ?, version = version + 1 WHERE run_id = ?'
      this.#database.run(expire, [Date.now(), lease.runId])
    })
  }

  async releaseRun(runId: string, owner?: store.Owner): Promise<store.RunState | undefined> {
    const key = store.parseRunKey(runId, owner)
    return this.#database.transaction(() => {
      const state = this.#findRun(key)?.state
      if (state === 'suspended' || state === 'interrupted') this.#use(key.runId, 'released')
      return state
    })
  }

  async listRuns(filter?: store.RunFilter): Promise<store.SuspendedRun[]> {
    const { owner, threadId } = store.parseListRuns(filter)
    return this.#database.transaction(() =>
      this.#database
        .all(
          `SELECT run_id, state, attempt, run FROM runs WHERE expires_at > ?1
          AND (state = 'suspended' OR state = 'running' AND lease_until <= ?1)
          AND owner = coalesce(?2, owner) AND (?3 IS NULL OR thread_id = ?3) ORDER BY place`,
          [Date.now(), owner, threadId],
        )
        .map((row) => this.#toListed(row)),
    )
  }

  #toListed({ run_id, state, attempt, run }: Row): store.SuspendedRun {
    if (state === 'suspended') return JSON.parse(run as string)
    const calls = this.#callsOf(run_id as string)
    return store.toInterruptedRun(run as string, { attempts: attempt as number, calls })
  }

  #findRun({ runId, owner }: store.RunKey): Found | undefined {
    const [row] = this.#database.all(
      `SELECT *, CASE WHEN state NOT IN ('suspended', 'running') THEN state WHEN expires_at <= ?1 THEN 'expired'
          WHEN state = 'running' AND lease_until <= ?1 THEN 'interrupted' ELSE state END AS state
        FROM runs WHERE run_id = ?2 AND owner = ?3`,
      [Date.now(), runId, owner],
    )
    return row as Found | undefined
  }

  /** Whether this attempt still holds the run, even if its lease has ended. */
  #held(lease: store.RunLease): Found {
    const { attempt, ...key } = store.parseRunLease(lease)
    const found = this.#findRun(key)
    if (found?.attempt === attempt && (found.state === 'running' || found.state === 'interrupted'))
      return found
    throw store.leaseLost(lease)
  }

  #callsOf(runId: string): store.RunCallColumns[] {
    const rows = this.#database.all('SELECT * FROM run_calls WHERE run_id = ? ORDER BY place', [runId])
    return rows.map(({ call_id, call, outcome }) => ({
      toolCallId: call_id as string,
      call: call as string,
      outcome: (outcome ?? undefined) as string | undefined,
    }))
  }

  #emptyJournal(runId: string): void {
    this.#database.run('DELETE FROM run_calls WHERE run_id = ?', [runId])
  }

  #use(runId: string, state: 'done' | 'released'): void {
    this.#emptyJournal(runId)
    const update =
      "UPDATE runs SET state = ?, run = '', snapshot = '', data = NULL, expires_at = ? WHERE run_id = ?"
    this.#database.run(update, [state, Date.now(), runId])
  }
}
