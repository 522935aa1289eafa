import { MillraceError } from '../../errors.ts'
import type { Incomplete } from '../../results/outcome.ts'
import type { RunResult } from '../../results/result.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { RunStore } from '../../storage/run-store.ts'
import { askKeepers } from '../output/review-answer.ts'
import { StepOutput } from '../output/step-output.ts'
import { storeUnwritten } from '../suspension/store-suspended.ts'
import { reviewIncomplete } from './review-incomplete.ts'
import { aborted } from './run-result.ts'

export interface KeepOptions {
  openStore: () => RunStore | Promise<RunStore>
  /** How long a run that is stored in place of its thread can be resumed, in milliseconds. */
  ttl: number
  /** Whether only the executed calls are stored, without a review of the answer. Default: false. */
  callsOnly?: boolean
}

/**
 * Stores what is left of a run in its thread. If the thread cannot be written, the run is stored in its place, unless
 * a journal has its calls and another process continues it.
 */
export async function keep(
  run: Run,
  incomplete: Incomplete,
  { openStore, ttl, callsOnly = false }: KeepOptions,
): Promise<void> {
  const left = await reviewIncomplete(run, incomplete, { callsOnly })
  const { journal } = run
  if (!left || (journal && (!journal.lease || incomplete !== 'blocked'))) return
  await storeUnwritten(run, left, { store: await openStore(), ttl })
}

/** Stores what was left of a run that had ended before, and whose thread could not be written then. */
export async function resumeIncomplete(run: Run, step: Step): Promise<RunResult> {
  run.current = { step, output: new StepOutput(run, step) }
  await askKeepers(run, step)
  await run.journal?.end('done')
  const reason = new MillraceError(
    'RUN_CANCELLED',
    `The run had ended without an answer (${run.state.incomplete}). Its calls are in the thread now. Start a new run to continue.`,
  )
  await run.emit({ type: 'abort', reason })
  run.stop(reason)
  return aborted(run, reason)
}

/** How long the result waits for this review, in milliseconds. */
const REVIEW_LIMIT = 1_000

/** Waits for the work, up to the limit. Longer work finishes in the background. Never rejects. */
export function waitUpToLimit(work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, REVIEW_LIMIT)
    const done = (): void => {
      clearTimeout(timer)
      resolve()
    }
    work.then(done, done)
  })
}
