import { MillraceError } from '../errors.ts'
import type { Run } from './run.ts'

/** A time limit that ends the run when it passes. */
export interface Deadline {
  /** Starts the time anew. */
  extend(): void
  end(): void
}

/** Ends the run as `aborted` with `RUN_TIMEOUT` unless the deadline is ended or extended within `milliseconds`. */
export function watch(run: Run, milliseconds: number | undefined, what: string): Deadline | undefined {
  if (milliseconds === undefined) return undefined
  let due = performance.now() + milliseconds
  let timer = setTimeout(check, milliseconds)

  // Extending only notes the time: a timer set anew for every chunk would cost more than the chunk.
  function check(): void {
    const left = due - performance.now()
    if (left > 0) timer = setTimeout(check, left)
    else {
      run.abort(
        new MillraceError(
          'RUN_TIMEOUT',
          `${what} took longer than ${milliseconds} ms. Raise the timeout option, or look into what was slow.`,
        ),
      )
    }
  }

  return {
    extend() {
      due = performance.now() + (milliseconds as number)
    },
    end() {
      clearTimeout(timer)
    },
  }
}
