import { MillraceError } from '@millrace/core'
import type { Task } from '../guard/task.ts'
import { wait } from '../guard/task.ts'
import { withDeadline } from '../judge/deadline.ts'

/**
 * A custom classifier: returns how much a text is like an attack, from 0 to 1. Texts are at most 2,000 UTF-16 units
 * long. The signal aborts with the run and at the timeout.
 */
export type InjectionClassifier = (text: string, signal: AbortSignal) => number | PromiseLike<number>

export interface OwnClassifierOptions {
  readonly classify: InjectionClassifier
  /** The timeout for one text, in milliseconds. */
  readonly timeoutMs: number
}

/** Calls a user's classifier and validates its result. */
export class OwnClassifier {
  readonly #options: OwnClassifierOptions

  constructor(options: OwnClassifierOptions) {
    this.#options = options
  }

  /** @throws MillraceError `PROCESSOR_RESULT_INVALID` for a result that is not a number from 0 to 1 */
  *score(text: string, abortSignal: AbortSignal): Task<number> {
    const { classify, timeoutMs } = this.#options
    const score = yield* wait(
      withDeadline(async (signal) => classify(text, signal), { timeoutMs, abortSignal }),
    )
    if (typeof score === 'number' && score >= 0 && score <= 1) return score
    throw new MillraceError(
      'PROCESSOR_RESULT_INVALID',
      `classifier returned ${String(score)}. Return a number from 0 to 1: how much the text is like an attack.`,
    )
  }
}
