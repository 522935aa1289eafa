import type { HookName } from '../hook-name.ts'
import type { Owner } from './owner.ts'

/** A stored run. Times are in milliseconds since 1970. */
export interface StoredRun {
  runId: string
  agentName: string
  threadId?: string
  resourceId?: string
  /** The payload of the suspension; `null` for a run that is not suspended. */
  payload: unknown
  processorId?: string
  hook?: HookName
  toolCallId?: string
  createdAt: number
  expiresAt: number
  /** The state of the run, as JSON. */
  snapshot: string
}

/** A suspended or interrupted run in a list. */
export interface SuspendedRun extends Omit<StoredRun, 'snapshot'> {
  /** Set if the run was interrupted: its process died, or it failed, while it was running. */
  interrupted?: Interruption
}

/** What is known about an interrupted run. */
export interface Interruption {
  /** Number of attempts at the run. */
  attempts: number
  /** The calls since the last snapshot, in the order in which they started. */
  calls: InterruptedCall[]
}

/** A call of an interrupted run. A `started` call may have been executed fully, partly, or not at all. */
export interface InterruptedCall {
  toolCallId: string
  toolName: string
  input: unknown
  state: 'started' | 'finished'
}

/** A call in the journal of a run. Times are in milliseconds since 1970. */
export interface RunCall {
  toolCallId: string
  toolName: string
  /** The input after the processors. */
  input: unknown
  /** The attempt that started the call. */
  attempt: number
  startedAt: number
  finishedAt?: number
  /** The outcome of the call, as JSON. Missing while it is only started. */
  outcome?: string
}

/**
 * The state of a stored run:
 *
 * - `suspended`: it waits to be resumed.
 * - `running`: a worker holds its lease.
 * - `interrupted`: its lease has expired. It can be resumed.
 * - `done`, `released`, `expired`: it cannot be resumed any more.
 */
export type RunState = 'suspended' | 'running' | 'interrupted' | 'done' | 'released' | 'expired'

/** A run as `getRun` returns it. */
export type FoundRun =
  | {
      state: 'suspended'
      run: StoredRun
      /** Increases with each change of the run, to detect concurrent changes. Missing means 0: no changes. */
      version?: number
    }
  | {
      state: 'interrupted'
      run: StoredRun
      version: number
      /** The number of the last attempt. */
      attempt: number
      /** The decision with which the run was last resumed. */
      data?: string
      /** The journal: the calls since the snapshot was stored, in the order in which they started. */
      calls: RunCall[]
    }
  | { state: 'running'; attempt: number; leaseUntil: number }
  | { state: 'done' | 'released' | 'expired' }

/** The right of an attempt to change a running run, until there is a newer attempt. */
export interface RunLease extends Owner {
  runId: string
  attempt: number
}

/** The duration of a lease. */
export interface LeaseOptions {
  /** Milliseconds from now in which no other caller can claim the run. */
  leaseMs: number
  /** Milliseconds after the end of the lease in which the run can be resumed. Default: 24 hours. */
  expiresIn?: number | undefined
}

export interface SaveRunOptions {
  /**
   * Ends this run as `done` in the same transaction, because the new run continues it. If it has the same id as the
   * new run, the running run is suspended.
   */
  after?: RunLease | undefined
  /** Stores the run as `running`, with its first attempt. Default: it is stored as `suspended`. */
  lease?: LeaseOptions | undefined
}

export interface ClaimRunOptions extends LeaseOptions {
  /** The owner of the run. */
  owner?: Owner | undefined
  /** The decision with which the run is resumed, as JSON. It is stored with the run. Default: the previous one. */
  data?: string | undefined
  /** Claims the run only if it has this version. Default: any version. */
  ifVersion?: number | undefined
}

/** The state of a run before it was claimed. `attempt` is set if this call has claimed it. */
export interface RunClaim {
  state: RunState
  attempt?: number
}

export interface RunChanges extends LeaseOptions {
  /** Replaces the snapshot and clears the journal. */
  snapshot?: string | undefined
  /** Calls to add to the journal, or to replace in it. */
  calls?: readonly RunCall[] | undefined
}

/** Limits for runs. The same options in every store. */
export interface RunLimits {
  /**
   * Maximum number of suspended, running and interrupted runs of one resource. Runs without a resource count
   * together. Default: 1,000.
   */
  maxRuns?: number
  /** Maximum size of one run, and of one change to it, in bytes of JSON in UTF-8. Default: 4 MiB. */
  maxRunBytes?: number
}

/**
 * Stores runs that are suspended, or must survive their process.
 *
 * A worker holds a lease while it works on a run: `claimRun` is atomic, also between processes, and returns an
 * attempt number. Every later change has that number, and is rejected if there is a newer attempt (`RUN_LEASE_LOST`).
 * When a lease expires, the run becomes `interrupted` and can be claimed again; until then, the expired lease stays
 * valid. The store remembers for a day how a run ended, to report that to late attempts.
 *
 * A run of a resource is found only with that resource; a run without one is found only without. For others' runs the
 * result is the same as for runs that do not exist.
 */
export interface RunStore {
  /**
   * Stores a run. Its id must never have been used, also not by another resource.
   *
   * @throws MillraceError `RUN_TOO_LARGE`, `RUN_LIMIT_REACHED`, `RUN_LEASE_LOST` if the lease of `after` is lost, or
   *   `STORAGE_CONFLICT` if a run with this id exists or has existed; then nothing is stored, and `after` has not
   *   ended
   */
  saveRun(run: StoredRun, options?: SaveRunOptions): Promise<void>
  /** The run, or how it ended. `undefined` if its owner has no such run, or it was forgotten. */
  getRun(runId: string, owner?: Owner): Promise<FoundRun | undefined>
  /** Claims a suspended or interrupted run. `undefined` as for `getRun`. */
  claimRun(runId: string, options: ClaimRunOptions): Promise<RunClaim | undefined>
  /**
   * Changes a running run, and renews its lease from now. Without changes, only renews the lease.
   *
   * @throws MillraceError `RUN_LEASE_LOST`, or `RUN_TOO_LARGE`; then nothing is changed
   */
  updateRun(lease: RunLease, changes: RunChanges): Promise<void>
  /**
   * Ends the lease. `interrupted`: the run can be resumed at once. `released`: the run cannot be resumed any more.
   *
   * @throws MillraceError `RUN_LEASE_LOST`
   */
  endRun(lease: RunLease, as: 'done' | 'interrupted' | 'released'): Promise<void>
  /** Releases a suspended or interrupted run. Returns its state before; `undefined` as for `getRun`. */
  releaseRun(runId: string, owner?: Owner): Promise<RunState | undefined>
  /**
   * Suspended and interrupted runs, of a thread, a resource or all, in the order in which they were saved. The thread
   * of a resource is found only with both ids.
   */
  listRuns(filter: { threadId?: string; resourceId?: string }): Promise<SuspendedRun[]>
}
