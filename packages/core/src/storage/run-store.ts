import type { HookName } from '../hook-name.ts'
import type { Owner } from './owner.ts'

/** A stored run. Times are milliseconds since 1970. */
export interface StoredRun {
  runId: string
  agentName: string
  threadId?: string
  resourceId?: string
  /** What the run waits for, as the one who suspended it said; `null` for a run that waits for nothing. */
  payload: unknown
  processorId?: string
  hook?: HookName
  toolCallId?: string
  createdAt: number
  expiresAt: number
  /** The run itself, as JSON. */
  snapshot: string
}

/** A suspended or interrupted run in a list. */
export interface SuspendedRun extends Omit<StoredRun, 'snapshot'> {
  /** Where the run was interrupted: it worked, and its process died or failed. */
  interrupted?: Interruption
}

/** What is known of a run that was interrupted. */
export interface Interruption {
  /** How many times the run was worked on. */
  attempts: number
  /** The calls it has made since it was last stored as a whole, in the order in which they started. */
  calls: InterruptedCall[]
}

/** A call of an interrupted run. One that is only `started` may have been executed, in part or in full, or not. */
export interface InterruptedCall {
  toolCallId: string
  toolName: string
  input: unknown
  state: 'started' | 'finished'
}

/** A call in the journal of a run. Times are milliseconds since 1970. */
export interface RunCall {
  toolCallId: string
  toolName: string
  /** The input as processors left it. */
  input: unknown
  /** The attempt that started the call. */
  attempt: number
  startedAt: number
  finishedAt?: number
  /** How the call ended, as JSON; missing while it is only started. */
  outcome?: string
}

/**
 * What has become of a stored run:
 *
 * - `suspended`: it waits to be resumed.
 * - `running`: a worker holds its lease.
 * - `interrupted`: its lease has lapsed. It can be resumed.
 * - `done`, `released`, `expired`: it cannot be resumed any more.
 */
export type RunState = 'suspended' | 'running' | 'interrupted' | 'done' | 'released' | 'expired'

/** A run as `getRun` finds it. */
export type FoundRun =
  | {
      state: 'suspended'
      run: StoredRun
      /** Grows with every change of the run, so that one that came meanwhile is noticed. Missing for 0: it had none. */
      version?: number
    }
  | {
      state: 'interrupted'
      run: StoredRun
      version: number
      /** The number of the last attempt. */
      attempt: number
      /** The decision the run was resumed with, as it was claimed. */
      data?: string
      /** The journal: calls since the snapshot was stored, in the order in which they were started. */
      calls: RunCall[]
    }
  | { state: 'running'; attempt: number; leaseUntil: number }
  | { state: 'done' | 'released' | 'expired' }

/** Who may change a running run: an attempt, until there is a newer one. */
export interface RunLease extends Owner {
  runId: string
  attempt: number
}

/** How long an attempt has. */
export interface LeaseOptions {
  /** Milliseconds from now in which no other caller gets the run. */
  leaseMs: number
  /** Milliseconds after the lease in which the run can be resumed, if it lapses. Default: 24 hours. */
  expiresIn?: number | undefined
}

export interface SaveRunOptions {
  /**
   * Ends this run as `done` in the same transaction: the new run continues it. With the id of the new run, that is the one
   * that is running under this lease, and is suspended now.
   */
  after?: RunLease | undefined
  /** Stores the run as `running`, in its first attempt. Default: it is stored as `suspended`. */
  lease?: LeaseOptions | undefined
}

export interface ClaimRunOptions extends LeaseOptions {
  /** Whose run it is. */
  owner?: Owner | undefined
  /** The decision the run is resumed with, as JSON. It stays with the run. Default: that of before. */
  data?: string | undefined
  /** Claims the run only if it has this version. Default: whatever version it has. */
  ifVersion?: number | undefined
}

/** The state of a run before it was claimed. With an attempt, this call has claimed it. */
export interface RunClaim {
  state: RunState
  attempt?: number
}

export interface RunChanges extends LeaseOptions {
  /** Takes the place of the snapshot. The journal is emptied: it has what happened since. */
  snapshot?: string | undefined
  /** Calls to add to the journal, or to replace in it. */
  calls?: readonly RunCall[] | undefined
}

/** What an adapter allows, and how clearly it says so: the same options in every store. */
export interface RunLimits {
  /** Suspended, running and interrupted runs of one resource (those of none count as one). Default: 1,000. */
  maxRuns?: number
  /** Bytes of one run's JSON, and of one change of it, in UTF-8. Default: 4 MiB. */
  maxRunBytes?: number
}

/**
 * Where runs are kept that wait, or that are to survive their process.
 *
 * A run is worked on under a lease: `claimRun` is atomic, also between processes, and gives out an attempt number. Every
 * later change carries that number, and is refused once there is a newer attempt (`RUN_LEASE_LOST`). A lease that lapses
 * leaves the run `interrupted`, to be claimed by the next. A lease that has lapsed still counts until another caller has claimed
 * the run. The store remembers for a day what became of a run, so that a late attempt can be told.
 *
 * A run of a resource is found with its id and that resource, and with nothing less; one of no resource is found where
 * none is named. Whoever asks for another's run is told that there is none.
 */
export interface RunStore {
  /**
   * Stores a run under an id that was never used, not by another resource either.
   *
   * @throws MillraceError `RUN_TOO_LARGE`, `RUN_LIMIT_REACHED`, `RUN_LEASE_LOST` if `after` is not held any more, or
   * `STORAGE_CONFLICT` if there is, or was, a run with this id; nothing is stored then, and `after` has not ended
   */
  saveRun(run: StoredRun, options?: SaveRunOptions): Promise<void>
  /** The run, or what became of it. `undefined` if its owner has none with this id, or it has been forgotten. */
  getRun(runId: string, owner?: Owner): Promise<FoundRun | undefined>
  /** Takes the lease of a run that is suspended or interrupted. `undefined` as for `getRun`. */
  claimRun(runId: string, options: ClaimRunOptions): Promise<RunClaim | undefined>
  /**
   * Changes a running run, and renews its lease from now on. Without changes, it only renews.
   *
   * @throws MillraceError `RUN_LEASE_LOST`, or `RUN_TOO_LARGE`; nothing is changed then
   */
  updateRun(lease: RunLease, changes: RunChanges): Promise<void>
  /**
   * Gives the lease up. `interrupted`: the run can be resumed at once. `released`: it is given up for good.
   *
   * @throws MillraceError `RUN_LEASE_LOST`
   */
  endRun(lease: RunLease, as: 'done' | 'interrupted' | 'released'): Promise<void>
  /** Gives up a run that is suspended or interrupted. Returns its state before; `undefined` as for `getRun`. */
  releaseRun(runId: string, owner?: Owner): Promise<RunState | undefined>
  /**
   * Suspended and interrupted runs, of a thread, a resource or all, in the order in which they were saved. A thread of a
   * resource is found with it alone, as everywhere.
   */
  listRuns(filter: { threadId?: string; resourceId?: string }): Promise<SuspendedRun[]>
}
