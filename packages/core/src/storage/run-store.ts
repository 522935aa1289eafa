import type { HookName } from '../hook-name.ts'
import type { Owner } from './owner.ts'

/** A suspended run as it is stored. Times are milliseconds since 1970. */
export interface StoredRun {
  runId: string
  agentName: string
  threadId?: string
  resourceId?: string
  /** What the run waits for, as the one who suspended it said. */
  payload: unknown
  processorId?: string
  hook?: HookName
  toolCallId?: string
  createdAt: number
  expiresAt: number
  /** The run itself, as JSON. */
  snapshot: string
}

/** A suspended run in a list. */
export type SuspendedRun = Omit<StoredRun, 'snapshot'>

/** What has become of a stored run. Only a `suspended` one can be resumed. */
export type RunState = 'suspended' | 'resumed' | 'released' | 'expired'

/** What an adapter allows, and how clearly it says so: the same options in every store. */
export interface RunLimits {
  /** Suspended runs at the same time, of one resource (those of none count as one). Default: 1,000. */
  maxRuns?: number
  /** Bytes of one run's JSON, in UTF-8. Default: 4 MiB. */
  maxRunBytes?: number
}

/**
 * Where suspended runs are kept. A run is used once: `claimRun` is atomic, also between processes, and remembers what
 * became of the run for a day, so that a second attempt can be told why it comes too late.
 *
 * A run of a resource is found with its id and that resource, and with nothing less; one of no resource is found where
 * none is named. Whoever asks for another's run is told that there is none.
 */
export interface RunStore {
  /**
   * Stores a run under an id that was never used, not by another resource either.
   *
   * @throws MillraceError `RUN_TOO_LARGE`, `RUN_LIMIT_REACHED`, or `STORAGE_CONFLICT` if there is, or was, a run with
   * this id; nothing is stored then
   */
  saveRun(run: StoredRun): Promise<void>
  /** The run, or what became of it. `undefined` if its owner has none with this id, or it has been forgotten. */
  getRun(
    runId: string,
    owner?: Owner,
  ): Promise<{ state: 'suspended'; run: StoredRun } | { state: Exclude<RunState, 'suspended'> } | undefined>
  /** Takes the run out of use. Returns its state before: the caller that reads `suspended` has claimed it, and no other can. */
  claimRun(runId: string, as: 'resumed' | 'released', owner?: Owner): Promise<RunState | undefined>
  /**
   * Suspended runs that can still be resumed, of a thread, a resource or all, oldest first. A thread of a resource is
   * found with it alone, as everywhere.
   */
  listRuns(filter: { threadId?: string; resourceId?: string }): Promise<SuspendedRun[]>
}
