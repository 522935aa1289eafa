import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Halt } from '../../signals.ts'
import { hookKit } from '../hooks-on-demand.ts'

/**
 * Shows the finished answer to every processor's `processOutputResult`. What they leave in the transcript is what the
 * result, its steps and every accessor show.
 *
 * @param options.halt The answer is that of a processor, which gave it in this hook
 */
export function reviewResult(
  run: Run,
  last: Step,
  { halt }: { halt?: Halt | undefined } = {},
): Promise<void> | undefined {
  return run.pipeline.processOutputResult ? hookKit().reviewAnswer(run, last, halt) : undefined
}
