import { checkId, checkText, checkTime, ownerKey, toJson } from './arguments.ts'
import type { Owner } from './owner.ts'
import type { RunLimits, StoredRun, SuspendedRun } from './run-store.ts'
import { runTooLarge } from './store-errors.ts'

/** A suspended run as columns. */
export interface RunColumns {
  runId: string
  owner: string
  threadId: string | undefined
  /** Milliseconds since 1970. */
  expiresAt: number
  /** What lists show of it, as JSON: see `fromRunColumns`. */
  run: string
  snapshot: string
}

/** @throws MillraceError `RUN_TOO_LARGE` */
export function parseSaveRun(
  stored: StoredRun,
  { maxRunBytes = 4 * 1024 * 1024 }: Pick<RunLimits, 'maxRunBytes'> = {},
): RunColumns {
  const { snapshot, ...run } = stored
  const { runId, threadId, resourceId, expiresAt } = run
  checkTime('expiresAt', new Date(expiresAt))
  const bytes = new TextEncoder().encode(toJson('The run', stored)).length
  if (bytes > maxRunBytes) throw runTooLarge(bytes, maxRunBytes)
  return {
    runId: checkId('runId', runId),
    owner: ownerKey(resourceId),
    threadId: threadId === undefined ? undefined : checkId('threadId', threadId),
    expiresAt,
    run: JSON.stringify(run),
    snapshot: checkText('snapshot', snapshot),
  }
}

/** A run as it was saved. */
export function fromRunColumns({ run, snapshot }: Pick<RunColumns, 'run' | 'snapshot'>): StoredRun {
  return { ...(JSON.parse(run) as SuspendedRun), snapshot }
}

/** Where no resource is named, a run of none is meant. */
export function parseRunKey(runId: string, { resourceId }: Owner = {}): { runId: string; owner: string } {
  return { runId: checkId('runId', runId), owner: ownerKey(resourceId) }
}

/** `undefined` is not filtered by. A thread without a resource is one that has no owner. */
export function parseListRuns({ threadId, resourceId }: { threadId?: string; resourceId?: string }): {
  owner: string | undefined
  threadId: string | undefined
} {
  return {
    owner: resourceId === undefined && threadId === undefined ? undefined : ownerKey(resourceId),
    threadId: threadId === undefined ? undefined : checkId('threadId', threadId),
  }
}
