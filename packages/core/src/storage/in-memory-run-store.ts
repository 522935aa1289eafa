import { requireOptions } from '../option-names.ts'
import type { Owner } from './owner.ts'
import {
  fromRunCallColumns,
  fromRunColumns,
  parseClaimRun,
  parseLeaseOptions,
  parseListRuns,
  parseRunKey,
  parseRunLease,
  parseSaveRun,
  parseUpdateRun,
  RUN_MEMORY,
  type RunCallColumns,
  type RunColumns,
  type RunKey,
  toInterruptedRun,
} from './run-arguments.ts'
import type {
  ClaimRunOptions,
  FoundRun,
  RunChanges,
  RunClaim,
  RunFilter,
  RunLease,
  RunLimits,
  RunState,
  RunStore,
  SaveRunOptions,
  StoredRun,
  SuspendedRun,
} from './run-store.ts'
import { leaseLost, runExists, tooManyRuns } from './store-errors.ts'
import { RUN_LIMITS } from './store-limits.ts'

/** A run that can be resumed, now or after its lease has expired. */
interface OpenRun extends RunColumns {
  attempt: number
  version: number
  /** `undefined` while it is suspended. */
  leaseUntil: number | undefined
  data: string | undefined
  calls: Map<string, RunCallColumns>
}

interface UsedRun {
  owner: string
  threadId: string | undefined
  state: 'done' | 'released' | 'expired'
  until: number
}

/** A run store in memory, for agents without a storage. Its runs are lost when the process ends. */
export class InMemoryRunStore implements RunStore {
  readonly #open = new Map<string, OpenRun>()
  /** In the order in which they are removed. */
  readonly #used = new Map<string, UsedRun>()
  readonly #limits: RunLimits

  constructor(limits: RunLimits = {}) {
    this.#limits = requireOptions('InMemoryRunStore', limits, RUN_LIMITS)
  }

  async saveRun(stored: StoredRun, { after, lease }: SaveRunOptions = {}): Promise<void> {
    const { maxRuns = 1_000 } = this.#limits
    const columns = parseSaveRun(stored, this.#limits)
    const { leaseUntil, keptUntil = 0 } = lease ? parseLeaseOptions(lease) : { leaseUntil: undefined }
    this.#forgetExpired()
    const ended = after && this.#held(after)
    if (ended?.runId === columns.runId) return suspendRun(ended, columns)
    if (this.#open.has(columns.runId) || this.#used.has(columns.runId)) throw runExists()
    let count = 0
    for (const run of this.#open.values()) if (run.owner === columns.owner && run !== ended) count++
    if (count >= maxRuns) throw tooManyRuns(count, maxRuns)
    if (ended) this.#use(ended, 'done')
    const isRunning = leaseUntil !== undefined
    this.#open.set(columns.runId, {
      ...columns,
      expiresAt: Math.max(columns.expiresAt, keptUntil),
      attempt: isRunning ? 1 : 0,
      version: isRunning ? 1 : 0,
      leaseUntil,
      data: undefined,
      calls: new Map(),
    })
  }

  async getRun(runId: string, owner?: Owner): Promise<FoundRun | undefined> {
    const run = this.#find(parseRunKey(runId, owner))
    if (!run) return undefined
    if ('state' in run) return { state: run.state }
    const { attempt, version, leaseUntil, data } = run
    if (leaseUntil === undefined) {
      return { state: 'suspended', run: fromRunColumns(run), ...(version > 0 && { version }) }
    }
    if (leaseUntil > Date.now()) return { state: 'running', attempt, leaseUntil }
    return {
      state: 'interrupted',
      run: fromRunColumns(run),
      attempt,
      version,
      ...(data !== undefined && { data }),
      calls: [...run.calls.values()].map(fromRunCallColumns),
    }
  }

  async claimRun(runId: string, options: ClaimRunOptions): Promise<RunClaim | undefined> {
    const { leaseUntil, keptUntil, data, ifVersion, ...key } = parseClaimRun(runId, options)
    const run = this.#find(key)
    if (!run) return undefined
    const state = stateOf(run)
    if ('state' in run || state === 'running') return { state }
    if (ifVersion !== undefined && ifVersion !== run.version) return { state }
    run.attempt++
    run.version++
    run.leaseUntil = leaseUntil
    run.expiresAt = Math.max(run.expiresAt, keptUntil)
    run.data = data ?? run.data
    return { state, attempt: run.attempt }
  }

  async updateRun(lease: RunLease, changes: RunChanges): Promise<void> {
    const { leaseUntil, keptUntil, snapshot, calls } = parseUpdateRun(lease, changes, this.#limits)
    const run = this.#held(lease)
    run.version++
    run.leaseUntil = leaseUntil
    run.expiresAt = Math.max(run.expiresAt, keptUntil)
    if (snapshot !== undefined) {
      run.snapshot = snapshot
      run.calls.clear()
    }
    for (const call of calls) run.calls.set(call.toolCallId, call)
  }

  async endRun(lease: RunLease, as: 'done' | 'interrupted' | 'released'): Promise<void> {
    const run = this.#held(lease)
    if (as !== 'interrupted') return this.#use(run, as)
    run.version++
    run.leaseUntil = Date.now()
  }

  async releaseRun(runId: string, owner?: Owner): Promise<RunState | undefined> {
    const run = this.#find(parseRunKey(runId, owner))
    if (!run) return undefined
    const state = stateOf(run)
    if (!('state' in run) && state !== 'running') this.#use(run, 'released')
    return state
  }

  async listRuns(filter?: RunFilter): Promise<SuspendedRun[]> {
    const { owner, threadId } = parseListRuns(filter)
    this.#forgetExpired()
    return [...this.#open.values()]
      .filter((run) => stateOf(run) !== 'running')
      .filter((run) => owner === undefined || run.owner === owner)
      .filter((run) => threadId === undefined || run.threadId === threadId)
      .map(toListed)
  }

  /** Removes the runs of an owner, or of one of its threads, and their records. '' means no owner. */
  deleteRuns({ owner, threadId }: { owner: string; threadId?: string }): void {
    for (const runs of [this.#open, this.#used]) {
      for (const [runId, run] of runs) {
        if (run.owner !== owner) continue
        if (threadId === undefined || run.threadId === threadId) runs.delete(runId)
      }
    }
  }

  #find({ runId, owner }: RunKey): OpenRun | UsedRun | undefined {
    this.#forgetExpired()
    const run = this.#open.get(runId) ?? this.#used.get(runId)
    return run?.owner === owner ? run : undefined
  }

  /** @throws MillraceError `RUN_LEASE_LOST` */
  #held(lease: RunLease): OpenRun {
    const { attempt, ...key } = parseRunLease(lease)
    const run = this.#find(key)
    if (!run || 'state' in run || run.leaseUntil === undefined || run.attempt !== attempt)
      throw leaseLost(lease)
    return run
  }

  #use({ runId, owner, threadId }: RunColumns, state: UsedRun['state']): void {
    this.#open.delete(runId)
    this.#used.set(runId, { owner, threadId, state, until: Date.now() + RUN_MEMORY })
  }

  #forgetExpired(): void {
    const now = Date.now()
    for (const run of this.#open.values()) {
      if (run.expiresAt > now) continue
      this.#use(run, 'expired')
      if (run.expiresAt + RUN_MEMORY <= now) this.#used.delete(run.runId)
    }
    for (const [runId, { until }] of this.#used) {
      if (until > now) break
      this.#used.delete(runId)
    }
  }
}

function suspendRun(run: OpenRun, columns: RunColumns): void {
  Object.assign(run, columns, { version: run.version + 1, leaseUntil: undefined, data: undefined })
  run.calls.clear()
}

function stateOf(run: OpenRun | UsedRun): RunState {
  if ('state' in run) return run.state
  if (run.leaseUntil === undefined) return 'suspended'
  return run.leaseUntil > Date.now() ? 'running' : 'interrupted'
}

function toListed({ run, leaseUntil, attempt, calls }: OpenRun): SuspendedRun {
  if (leaseUntil === undefined) return JSON.parse(run) as SuspendedRun
  return toInterruptedRun(run, { attempts: attempt, calls: [...calls.values()] })
}
