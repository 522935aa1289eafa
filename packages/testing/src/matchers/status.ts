import type { MatcherState, SyncMatcherResult } from 'vitest'
import { matches, show, unfit, verdict } from './verdict.ts'

/** The fields of a run's result that the matchers use. */
interface ResultLike {
  status: string
  tripwire?: unknown
  rejection?: ExpectedTrip
}

/**
 * Strings are compared, regular expressions tested. Asymmetric matchers such as `expect.stringContaining(…)` work for every
 * field.
 */
export interface ExpectedTrip {
  processorId?: unknown
  hook?: unknown
  reason?: unknown
  metadata?: unknown
  retryCount?: unknown
}

/** The run completed: its status is `completed`. */
export function toBeCompleted(this: MatcherState, received: unknown): SyncMatcherResult {
  return statusVerdict(this, received, 'completed')
}

/** The run ended with this status: `halted`, `suspended`, `aborted`, `limit`, … */
export function toHaveStatus(this: MatcherState, received: unknown, status: string): SyncMatcherResult {
  return statusVerdict(this, received, status)
}

/** A processor aborted the run. The given fields match the result's `rejection`. */
export function toHaveTripped(
  this: MatcherState,
  received: unknown,
  expected: ExpectedTrip = {},
): SyncMatcherResult {
  const result = resultOf(this, received)
  const asked = `have tripped${Object.keys(expected).length > 0 ? ` with ${show(this, expected)}` : ''}`
  const negated = `expected the run not to ${asked}, but ${outcomeOf(result)}`
  if (result.status !== 'tripwire')
    return verdict(`expected the run to ${asked}, but ${outcomeOf(result)}`, negated)
  const actual = new Map<string, unknown>(Object.entries(result.rejection ?? {}))
  const differences = Object.entries(expected)
    .filter(([field, value]) => !matches(this, actual.get(field), value))
    .map(([field]) => `its ${field} is ${show(this, actual.get(field))}`)
  if (result.tripwire !== true)
    differences.unshift(`its tripwire is ${show(this, result.tripwire)} instead of true`)
  const problem = `expected the run to ${asked}, but ${differences.join(' and ')}`
  return verdict(differences.length > 0 ? problem : undefined, negated)
}

function statusVerdict(state: MatcherState, received: unknown, status: string): SyncMatcherResult {
  const result = resultOf(state, received)
  const problem = `expected the run to end as '${status}', but ${outcomeOf(result)}`
  return verdict(
    result.status === status ? undefined : problem,
    `expected the run not to end as '${status}', but it did`,
  )
}

function resultOf(state: MatcherState, received: unknown): ResultLike {
  const result = received as ResultLike | null | undefined
  if (typeof result?.status !== 'string')
    throw unfit(state, received, "a run's result, an object with a status")
  return result
}

function outcomeOf({ status, rejection }: ResultLike): string {
  if (!rejection) return `its status is '${status}'`
  return `its status is '${status}' (${rejection.processorId} in ${rejection.hook}: ${rejection.reason})`
}
