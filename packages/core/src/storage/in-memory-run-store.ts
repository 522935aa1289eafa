import type { Owner } from './owner.ts'
import { fromRunColumns, parseListRuns, parseRunKey, parseSaveRun, type RunColumns } from './run-arguments.ts'
import type { RunLimits, RunState, RunStore, StoredRun, SuspendedRun } from './run-store.ts'
import { runExists, tooManyRuns } from './store-errors.ts'

interface UsedRun {
  owner: string
  threadId: string | undefined
  state: Exclude<RunState, 'suspended'>
  until: number
}

/** How long the store remembers what became of a run, in milliseconds. */
const MEMORY_OF_USED_RUNS = 24 * 60 * 60 * 1000

/** Suspended runs in this process: what an agent without a storage keeps them in. They are gone when it ends. */
export class InMemoryRunStore implements RunStore {
  readonly #suspended = new Map<string, RunColumns>()
  /** In the order in which they are forgotten. */
  readonly #used = new Map<string, UsedRun>()
  readonly #limits: RunLimits

  constructor(limits: RunLimits = {}) {
    this.#limits = limits
  }

  async saveRun(run: StoredRun): Promise<void> {
    const { maxRuns = 1_000 } = this.#limits
    const columns = parseSaveRun(run, this.#limits)
    this.#forgetExpired()
    if (this.#suspended.has(columns.runId) || this.#used.has(columns.runId)) throw runExists()
    let count = 0
    for (const { owner } of this.#suspended.values()) if (owner === columns.owner) count++
    if (count >= maxRuns) throw tooManyRuns(count, maxRuns)
    this.#suspended.set(columns.runId, columns)
  }

  async getRun(runId: string, owner?: Owner): ReturnType<RunStore['getRun']> {
    const run = this.#find(runId, owner)
    if (!run) return undefined
    return 'state' in run ? { state: run.state } : { state: 'suspended', run: fromRunColumns(run) }
  }

  async claimRun(runId: string, as: 'resumed' | 'released', owner?: Owner): Promise<RunState | undefined> {
    const run = this.#find(runId, owner)
    if (!run) return undefined
    if ('state' in run) return run.state
    this.#use(run, as)
    return 'suspended'
  }

  async listRuns(filter: { threadId?: string; resourceId?: string }): Promise<SuspendedRun[]> {
    const { owner, threadId } = parseListRuns(filter)
    this.#forgetExpired()
    return [...this.#suspended.values()]
      .filter((run) => owner === undefined || run.owner === owner)
      .filter((run) => threadId === undefined || run.threadId === threadId)
      .map(({ run }) => JSON.parse(run) as SuspendedRun)
  }

  /** Removes the runs of an owner, or of one of its threads, and what is known of them. '' owns what has no owner. */
  deleteRuns({ owner, threadId }: { owner: string; threadId?: string }): void {
    for (const runs of [this.#suspended, this.#used]) {
      for (const [runId, run] of runs) {
        if (run.owner !== owner) continue
        if (threadId === undefined || run.threadId === threadId) runs.delete(runId)
      }
    }
  }

  #find(id: string, asked?: Owner): RunColumns | UsedRun | undefined {
    const { runId, owner } = parseRunKey(id, asked)
    this.#forgetExpired()
    const run = this.#suspended.get(runId) ?? this.#used.get(runId)
    return run?.owner === owner ? run : undefined
  }

  #use({ runId, owner, threadId }: RunColumns, state: UsedRun['state']): void {
    this.#suspended.delete(runId)
    this.#used.set(runId, { owner, threadId, state, until: Date.now() + MEMORY_OF_USED_RUNS })
  }

  #forgetExpired(): void {
    const now = Date.now()
    for (const run of this.#suspended.values()) {
      if (run.expiresAt > now) continue
      this.#use(run, 'expired')
      if (run.expiresAt + MEMORY_OF_USED_RUNS <= now) this.#used.delete(run.runId)
    }
    for (const [runId, { until }] of this.#used) {
      if (until > now) break
      this.#used.delete(runId)
    }
  }
}
