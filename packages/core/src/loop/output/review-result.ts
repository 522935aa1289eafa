import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Halt } from '../../signals.ts'
import { hookKit } from '../hooks-on-demand.ts'

/**
 * Calls `processOutputResult` of every processor. The result, its steps and all accessors are read from the
 * transcript that remains.
 *
 * @param options.halt The halt of a processor in this hook. Its text is the answer.
 */
export function reviewResult(
  run: Run,
  last: Step,
  { halt }: { halt?: Halt | undefined } = {},
): Promise<void> | undefined {
  if (!run.pipeline.processOutputResult) return undefined
  run.current?.output.watch({ isEnd: true })
  return hookKit().reviewAnswer(run, last, halt)
}
