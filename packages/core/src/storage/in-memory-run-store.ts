import type { RunLimits, RunState, RunStore, StoredRun, SuspendedRun } from './run-store.ts'
import type { Owner } from './store.ts'
import { runTooLarge, tooManyRuns } from './store-errors.ts'

interface UsedRun {
  state: Exclude<RunState, 'suspended'>
  until: number
  threadId: string | undefined
  resourceId: string | undefined
}

/** How long the store remembers what became of a run, in milliseconds. */
const MEMORY_OF_USED_RUNS = 24 * 60 * 60 * 1000

/** Suspended runs in this process: what an agent without a storage keeps them in. They are gone when it ends. */
export class InMemoryRunStore implements RunStore {
  readonly #suspended = new Map<string, StoredRun>()
  readonly #used = new Map<string, UsedRun>()
  readonly #maxRuns: number
  readonly #maxRunBytes: number

  constructor({ maxRuns = 1_000, maxRunBytes = 4 * 1024 * 1024 }: RunLimits = {}) {
    this.#maxRuns = maxRuns
    this.#maxRunBytes = maxRunBytes
  }

  async saveRun(run: StoredRun): Promise<void> {
    this.#forgetExpired()
    const bytes = new TextEncoder().encode(JSON.stringify(run)).length
    if (bytes > this.#maxRunBytes) throw runTooLarge(bytes, this.#maxRunBytes)
    const count = [...this.#suspended.values()].filter(
      ({ resourceId }) => resourceId === run.resourceId,
    ).length
    if (count >= this.#maxRuns) throw tooManyRuns(count, this.#maxRuns)
    this.#suspended.set(run.runId, structuredClone(run))
  }

  async getRun(runId: string, owner?: Owner): ReturnType<RunStore['getRun']> {
    const run = this.#find(runId, owner)
    if (!run) return undefined
    return 'state' in run ? { state: run.state } : { state: 'suspended', run: structuredClone(run) }
  }

  async claimRun(runId: string, as: 'resumed' | 'released', owner?: Owner): Promise<RunState | undefined> {
    const run = this.#find(runId, owner)
    if (!run) return undefined
    if ('state' in run) return run.state
    this.#use(run, as)
    return 'suspended'
  }

  async listRuns({
    threadId,
    resourceId,
  }: {
    threadId?: string
    resourceId?: string
  }): Promise<SuspendedRun[]> {
    this.#forgetExpired()
    const runs: SuspendedRun[] = []
    for (const { snapshot: _, ...run } of this.#suspended.values()) {
      if (threadId !== undefined && run.threadId !== threadId) continue
      if (resourceId !== undefined && run.resourceId !== resourceId) continue
      runs.push(structuredClone(run))
    }
    return runs
  }

  /** Removes the runs of an owner, or of one of its threads, and what is known of them. '' owns what nobody does. */
  deleteRuns({ owner, threadId }: { owner: string; threadId?: string }): void {
    for (const runs of [this.#suspended, this.#used]) {
      for (const [runId, run] of runs) {
        if ((run.resourceId ?? '') !== owner) continue
        if (threadId === undefined || run.threadId === threadId) runs.delete(runId)
      }
    }
  }

  #find(runId: string, { resourceId }: Owner = {}): StoredRun | UsedRun | undefined {
    this.#forgetExpired()
    const run = this.#suspended.get(runId) ?? this.#used.get(runId)
    return resourceId === undefined || run?.resourceId === resourceId ? run : undefined
  }

  #use({ runId, threadId, resourceId }: StoredRun, state: UsedRun['state']): void {
    this.#suspended.delete(runId)
    this.#used.set(runId, { state, until: Date.now() + MEMORY_OF_USED_RUNS, threadId, resourceId })
  }

  #forgetExpired(): void {
    const now = Date.now()
    for (const run of this.#suspended.values()) if (run.expiresAt <= now) this.#use(run, 'expired')
    for (const [runId, { until }] of this.#used) if (until <= now) this.#used.delete(runId)
  }
}
