import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { hookKit } from '../hooks-on-demand.ts'

/**
 * Shows the finished answer to every processor's `processOutputResult`. What they leave in the transcript is what the
 * result, its steps and every accessor show.
 *
 * @param options.except The id of a processor that is not asked
 */
export function reviewResult(
  run: Run,
  last: Step,
  { except }: { except?: string | undefined } = {},
): Promise<void> | undefined {
  return run.pipeline.processOutputResult ? hookKit().reviewAnswer(run, last, except) : undefined
}
