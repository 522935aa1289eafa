import type { MatcherState, SyncMatcherResult } from 'vitest'

/** The result of a matcher: `problem` says why the value does not match; `undefined` if it does. */
export function verdict(
  problem: string | undefined,
  negated: string,
  diff?: { actual: unknown; expected: unknown },
): SyncMatcherResult {
  return { pass: problem === undefined, message: () => problem ?? negated, ...diff }
}

/** The error for a value of the wrong type. It is thrown, so that `.not` does not pass. */
export function unfit(state: MatcherState, received: unknown, wanted: string): TypeError {
  if (isUnread(received))
    return new TypeError(`expected ${wanted}, but received a promise or a stream; await or collect it first`)
  return new TypeError(`expected ${wanted}, but received ${show(state, received)}`)
}

/** Whether the value is a promise or a stream, which must be awaited or read first. */
export function isUnread(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return 'then' in value || Symbol.asyncIterator in value || value instanceof ReadableStream
}

/** Equality that supports asymmetric matchers. A regular expression is tested on strings. */
export function matches(state: MatcherState, received: unknown, expected: unknown): boolean {
  if (expected instanceof RegExp && typeof received === 'string') return received.search(expected) >= 0
  return state.equals(received, expected, state.customTesters)
}

/** A value on one line, for messages. */
export function show(state: MatcherState, value: unknown): string {
  return state.utils.stringify(value, 4, { min: true })
}
