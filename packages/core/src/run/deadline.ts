import { MillraceError } from '../errors.ts'
import type { Run } from './run.ts'

/** A timeout that ends the run. */
export interface Deadline {
  /** Restarts the timeout. */
  extend(): void
  end(): void
}

/** The maximum delay of a timer, in milliseconds. With a larger one, runtimes fire at once. */
const MAX_TIMER_DELAY = 2 ** 31 - 1

/**
 * Ends the run as `aborted` with `RUN_TIMEOUT` unless the deadline is ended or extended within `milliseconds`.
 *
 * @param options.what The operation that took too long, for the error message
 * @param options.until Ends the deadline too, for an owner that keeps waiting after the run has ended
 */
export function watch(
  run: Run,
  milliseconds: number | undefined,
  { what, until }: { what: string; until?: AbortSignal },
): Deadline | undefined {
  if (milliseconds === undefined || until?.aborted) return undefined
  const onPassed = (): void => {
    run.abort(
      new MillraceError(
        'RUN_TIMEOUT',
        `${what} took longer than ${milliseconds} ms. Raise the timeout, or find what was slow.`,
      ),
    )
  }
  return startDeadline(milliseconds, { onPassed, ...(until && { until }) })
}

/** Calls `onPassed` unless the deadline is ended, or extended, within `milliseconds`. */
export function startDeadline(
  milliseconds: number,
  { onPassed, until }: { onPassed: () => void; until?: AbortSignal },
): Deadline {
  let due = performance.now() + milliseconds
  let timer = start(milliseconds)
  until?.addEventListener('abort', end)

  function start(left: number): ReturnType<typeof setTimeout> {
    return setTimeout(check, Math.min(left, MAX_TIMER_DELAY))
  }

  // Extending only stores the time: resetting a timer for every chunk would cost more than the chunk.
  function check(): void {
    const left = due - performance.now()
    if (left > 0) timer = start(left)
    else {
      end()
      onPassed()
    }
  }

  function end(): void {
    clearTimeout(timer)
    until?.removeEventListener('abort', end)
  }

  return {
    extend() {
      due = performance.now() + milliseconds
    },
    end,
  }
}
