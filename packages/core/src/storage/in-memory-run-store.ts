import { MillraceError } from '../errors.ts'
import type { RunState, RunStore, StoredRun, SuspendedRun } from './run-store.ts'

export interface InMemoryRunStoreOptions {
  /** Suspended runs at the same time. Default: 1,000. */
  maxRuns?: number
  /** Bytes of one run's JSON, in UTF-8. Default: 4 MiB. */
  maxRunBytes?: number
}

/** How long the store remembers what became of a run, in milliseconds. */
const MEMORY_OF_USED_RUNS = 24 * 60 * 60 * 1000

/** Suspended runs in this process. They are gone when it ends. */
export class InMemoryRunStore implements RunStore {
  readonly #suspended = new Map<string, StoredRun>()
  readonly #used = new Map<string, { state: Exclude<RunState, 'suspended'>; until: number }>()
  readonly #maxRuns: number
  readonly #maxRunBytes: number

  constructor({ maxRuns = 1_000, maxRunBytes = 4 * 1024 * 1024 }: InMemoryRunStoreOptions = {}) {
    this.#maxRuns = maxRuns
    this.#maxRunBytes = maxRunBytes
  }

  async saveRun(run: StoredRun): Promise<void> {
    this.#forgetExpired()
    const bytes = new TextEncoder().encode(JSON.stringify(run)).length
    if (bytes > this.#maxRunBytes) {
      throw new MillraceError(
        'RUN_TOO_LARGE',
        `The run takes ${bytes} bytes as JSON and the store allows ${this.#maxRunBytes}. Raise maxRunBytes, or keep attachments outside of messages.`,
      )
    }
    if (this.#suspended.size >= this.#maxRuns) {
      throw new MillraceError(
        'RUN_LIMIT_REACHED',
        `${this.#suspended.size} runs are suspended and the store allows ${this.#maxRuns}. Resume or release some, or raise maxRuns.`,
      )
    }
    this.#suspended.set(run.runId, structuredClone(run))
  }

  async getRun(runId: string): ReturnType<RunStore['getRun']> {
    this.#forgetExpired()
    const run = this.#suspended.get(runId)
    if (run) return { state: 'suspended', run: structuredClone(run) }
    const used = this.#used.get(runId)
    return used && { state: used.state }
  }

  async claimRun(runId: string, as: 'resumed' | 'released'): Promise<RunState | undefined> {
    this.#forgetExpired()
    if (!this.#suspended.has(runId)) return this.#used.get(runId)?.state
    this.#use(runId, as)
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

  #use(runId: string, state: Exclude<RunState, 'suspended'>): void {
    this.#suspended.delete(runId)
    this.#used.set(runId, { state, until: Date.now() + MEMORY_OF_USED_RUNS })
  }

  #forgetExpired(): void {
    const now = Date.now()
    for (const [runId, { expiresAt }] of this.#suspended) if (expiresAt <= now) this.#use(runId, 'expired')
    for (const [runId, { until }] of this.#used) if (until <= now) this.#used.delete(runId)
  }
}
