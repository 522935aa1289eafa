import type { OptionNames } from '../option-names.ts'
import {
  checkCount,
  checkId,
  checkText,
  checkTime,
  expiry,
  ownerKey,
  readKey,
  readOptions,
  toJson,
} from './arguments.ts'
import type { Owner } from './owner.ts'
import type {
  ClaimRunOptions,
  InterruptedCall,
  LeaseOptions,
  RunCall,
  RunChanges,
  RunFilter,
  RunLease,
  RunLimits,
  StoredRun,
  SuspendedRun,
} from './run-store.ts'
import { invalidInput, runTooLarge } from './store-errors.ts'

const LEASE: OptionNames<LeaseOptions> = { leaseMs: 'required', expiresIn: 'optional' }

const CLAIM_RUN_OPTIONS: OptionNames<ClaimRunOptions> = {
  ...LEASE,
  owner: { resourceId: 'optional' },
  data: 'optional',
  ifVersion: 'optional',
}

const RUN_CHANGES: OptionNames<RunChanges> = { ...LEASE, snapshot: 'optional', calls: 'optional' }

/** How long a store remembers the end of a run, in milliseconds. */
export const RUN_MEMORY: number = 24 * 60 * 60 * 1000

/** A stored run as columns. */
export interface RunColumns {
  runId: string
  owner: string
  threadId: string | undefined
  /** Milliseconds since 1970. */
  expiresAt: number
  /** The run without its snapshot, for lists, as JSON: see `fromRunColumns`. */
  run: string
  snapshot: string
}

/** @throws MillraceError `RUN_TOO_LARGE` */
export function parseSaveRun(
  stored: StoredRun,
  { maxRunBytes = MAX_RUN_BYTES }: Pick<RunLimits, 'maxRunBytes'> = {},
): RunColumns {
  const { snapshot, ...run } = stored
  const { runId, threadId, resourceId, expiresAt } = run
  checkTime('expiresAt', new Date(expiresAt))
  checkSize(toJson('The run', stored), maxRunBytes)
  return {
    runId: checkId('runId', runId),
    owner: ownerKey(resourceId),
    threadId: threadId === undefined ? undefined : checkId('threadId', threadId),
    expiresAt,
    run: JSON.stringify(run),
    snapshot: checkText('snapshot', snapshot),
  }
}

const MAX_RUN_BYTES = 4 * 1024 * 1024

function checkSize(json: string, maxRunBytes: number): void {
  const bytes = new TextEncoder().encode(json).length
  if (bytes > maxRunBytes) throw runTooLarge(bytes, maxRunBytes)
}

/** The run of a row. */
export function fromRunColumns({ run, snapshot }: Pick<RunColumns, 'run' | 'snapshot'>): StoredRun {
  return { ...(JSON.parse(run) as SuspendedRun), snapshot }
}

export interface RunKey {
  runId: string
  owner: string
}

/** Without a `resourceId`, the run belongs to no resource. */
export function parseRunKey(runId: string, owner: Owner = {}): RunKey {
  const { resourceId } = readKey('The owner of a run', owner, { resourceId: 'optional' })
  return { runId: checkId('runId', runId), owner: ownerKey(resourceId) }
}

/** When a lease ends, and how long the run is kept at least, in milliseconds since 1970. */
export interface LeaseColumns {
  leaseUntil: number
  keptUntil: number
}

export function parseLeaseOptions({ leaseMs, expiresIn = RUN_MEMORY }: LeaseOptions): LeaseColumns {
  const leaseUntil = expiry('leaseMs', leaseMs)
  return {
    leaseUntil,
    keptUntil: expiry('expiresIn', checkCount('expiresIn', expiresIn, { fallback: 0 }) + leaseMs),
  }
}

export interface ClaimRunColumns extends RunKey, LeaseColumns {
  data: string | undefined
  ifVersion: number | undefined
}

export function parseClaimRun(runId: string, given: ClaimRunOptions): ClaimRunColumns {
  const options = readOptions('store.claimRun()', given, CLAIM_RUN_OPTIONS)
  const { owner, data, ifVersion } = options
  return {
    ...parseRunKey(runId, owner),
    ...parseLeaseOptions(options),
    data: data === undefined ? undefined : checkText('data', data),
    ifVersion:
      ifVersion === undefined ? undefined : checkCount('ifVersion', ifVersion, { fallback: 0, least: 0 }),
  }
}

export interface HeldRunColumns extends RunKey {
  attempt: number
}

export function parseRunLease({ runId, attempt, resourceId }: RunLease): HeldRunColumns {
  return { ...parseRunKey(runId, { resourceId }), attempt: checkCount('attempt', attempt, { fallback: 0 }) }
}

/** A call in the journal as columns. */
export interface RunCallColumns {
  toolCallId: string
  /** The call without id and outcome, as JSON. */
  call: string
  outcome: string | undefined
}

export interface UpdateRunColumns extends HeldRunColumns, LeaseColumns {
  snapshot: string | undefined
  calls: RunCallColumns[]
}

/** @throws MillraceError `RUN_TOO_LARGE` */
export function parseUpdateRun(
  lease: RunLease,
  given: RunChanges,
  { maxRunBytes = MAX_RUN_BYTES }: Pick<RunLimits, 'maxRunBytes'> = {},
): UpdateRunColumns {
  const changes = readOptions('store.updateRun()', given, RUN_CHANGES)
  const { snapshot, calls = [] } = changes
  if (snapshot !== undefined || calls.length > 0)
    checkSize(toJson('The change', { snapshot, calls }), maxRunBytes)
  return {
    ...parseRunLease(lease),
    ...parseLeaseOptions(changes),
    snapshot: snapshot === undefined ? undefined : checkText('snapshot', snapshot),
    calls: calls.map(toRunCallColumns),
  }
}

function toRunCallColumns({ toolCallId, outcome, ...call }: RunCall): RunCallColumns {
  return {
    toolCallId: checkText('toolCallId', toolCallId),
    call: JSON.stringify(call),
    outcome: outcome === undefined ? undefined : checkText('outcome', outcome),
  }
}

/** The call of a row. */
export function fromRunCallColumns({ toolCallId, call, outcome }: RunCallColumns): RunCall {
  const rest = JSON.parse(call) as Omit<RunCall, 'toolCallId' | 'outcome'>
  return { toolCallId, ...rest, ...(outcome !== undefined && { outcome }) }
}

/** An interrupted run for lists. Outcomes are left out: see `getRun`. */
export function toInterruptedRun(
  run: string,
  { attempts, calls }: { attempts: number; calls: readonly Pick<RunCallColumns, 'toolCallId' | 'call'>[] },
): SuspendedRun {
  return {
    ...(JSON.parse(run) as SuspendedRun),
    interrupted: { attempts, calls: calls.map(toInterruptedCall) },
  }
}

function toInterruptedCall({
  toolCallId,
  call,
}: Pick<RunCallColumns, 'toolCallId' | 'call'>): InterruptedCall {
  const { toolName, input, finishedAt } = JSON.parse(call) as RunCall
  return { toolCallId, toolName, input, state: finishedAt === undefined ? 'started' : 'finished' }
}

export const RUN_FILTER: OptionNames<RunFilter> = {
  threadId: 'optional',
  resourceId: 'optional',
  allResources: 'optional',
}

/** An `owner` of `undefined` means every owner. */
export function parseListRuns(filter: RunFilter = {}): {
  owner: string | undefined
  threadId: string | undefined
} {
  const { threadId, resourceId, allResources = false } = readOptions('store.listRuns()', filter, RUN_FILTER)
  if (typeof allResources !== 'boolean') {
    throw invalidInput(`allResources is of type ${typeof allResources}. Use true or false.`)
  }
  if (allResources && resourceId !== undefined) {
    throw invalidInput('Both allResources and a resourceId were passed. Pass one of them.')
  }
  return {
    owner: allResources ? undefined : ownerKey(resourceId),
    threadId: threadId === undefined ? undefined : checkId('threadId', threadId),
  }
}
