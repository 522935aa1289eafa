import { MillraceError, type MillraceErrorCode } from '../errors.ts'

/** The waits before another attempt, in milliseconds. */
const WAITS: readonly number[] = [25, 100, 400]

/** Faults of a store that may pass. */
const PASSING: ReadonlySet<MillraceErrorCode> = new Set([
  'STORAGE_BUSY',
  'STORAGE_FULL',
  'STORAGE_UNAVAILABLE',
  'STORAGE_FAILED',
])

/**
 * Calls `write` until it succeeds, fails with an error that another attempt cannot mend, or has failed four times;
 * then throws the last error. The write must have the same effect if it is repeated. It takes half a second at most,
 * in addition to the attempts.
 */
export async function retryWrite<T>(write: () => PromiseLike<T>): Promise<T> {
  for (let failures = 0; ; failures++) {
    try {
      return await write()
    } catch (error) {
      const wait = WAITS[failures]
      if (wait === undefined || !mayPass(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
}

/** Whether another attempt may succeed. An error of another kind than ours says nothing about that. */
export function mayPass(error: unknown): boolean {
  return !MillraceError.isInstance(error) || PASSING.has(error.code)
}
