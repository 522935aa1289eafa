import * as store from '@millrace/core/storage'
import type { Database } from './database.ts'

const DAY = 24 * 60 * 60 * 1000

/** Suspended runs. `state` is what was made of a run; that it has expired says its time. */
export class RunTable implements store.RunStore {
  readonly #database: Database
  readonly #limits: store.RunLimits

  constructor(database: Database, limits: store.RunLimits) {
    this.#database = database
    this.#limits = limits
  }

  async saveRun(stored: store.StoredRun): Promise<void> {
    const { maxRuns = 1_000 } = this.#limits
    const { runId, owner, threadId, expiresAt, run, snapshot } = store.parseSaveRun(stored, this.#limits)
    this.#database.transaction(() => {
      const now = Date.now()
      if (this.#database.all('SELECT 1 FROM runs WHERE run_id = ?', [runId]).length > 0)
        throw store.runExists()
      const counting =
        "SELECT count(*) AS count FROM runs WHERE owner = ? AND state = 'suspended' AND expires_at > ?"
      const count = this.#database.all(counting, [owner, now])[0]?.count as number
      if (count >= maxRuns) throw store.tooManyRuns(count, maxRuns)
      const insert =
        'INSERT INTO runs (run_id, owner, thread_id, expires_at, run, snapshot) VALUES (?, ?, ?, ?, ?, ?)'
      this.#database.run(insert, [runId, owner, threadId, expiresAt, run, snapshot])
      // What became of a run is known for a day.
      this.#database.run('DELETE FROM runs WHERE expires_at < ? AND run_id <> ?', [now - DAY, runId])
    })
  }

  async getRun(runId: string, owner?: store.Owner): ReturnType<store.RunStore['getRun']> {
    const key = store.parseRunKey(runId, owner)
    return this.#database.transaction(() => {
      const found = this.#findRun(key)
      if (found?.state !== 'suspended') return found && { state: found.state }
      return { state: 'suspended', run: store.fromRunColumns(found) }
    })
  }

  async claimRun(
    runId: string,
    as: 'resumed' | 'released',
    owner?: store.Owner,
  ): Promise<store.RunState | undefined> {
    const key = store.parseRunKey(runId, owner)
    return this.#database.transaction(() => {
      const state = this.#findRun(key)?.state
      if (state === 'suspended') {
        const now = Date.now()
        this.#database.run("UPDATE runs SET state = ?, snapshot = '', expires_at = ? WHERE run_id = ?", [
          as,
          now,
          runId,
        ])
      }
      return state
    })
  }

  async listRuns(filter: { threadId?: string; resourceId?: string }): Promise<store.SuspendedRun[]> {
    const { owner, threadId } = store.parseListRuns(filter)
    return this.#database.transaction(() =>
      this.#database
        .all(
          `SELECT run FROM runs WHERE state = 'suspended' AND expires_at > ?1 AND owner = coalesce(?2, owner)
          AND (?3 IS NULL OR thread_id = ?3) ORDER BY place`,
          [Date.now(), owner, threadId],
        )
        .map(({ run }) => JSON.parse(run as string)),
    )
  }

  #findRun({ runId, owner }: { runId: string; owner: string }) {
    const [row] = this.#database.all(
      `SELECT iif(state = 'suspended' AND expires_at <= ?, 'expired', state) AS state, run, snapshot
        FROM runs WHERE run_id = ? AND owner = ?`,
      [Date.now(), runId, owner],
    )
    return row as { state: store.RunState; run: string; snapshot: string } | undefined
  }
}
