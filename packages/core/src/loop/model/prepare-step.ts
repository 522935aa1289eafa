import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { isThenable } from '../../schema.ts'
import { processInputStep } from './process-input-step.ts'

/**
 * Calls `processInputStep` and `prepareStep`. Skipped for another attempt at a call, which has its request, and while
 * another agent has the turn.
 */
export function prepareStep(run: Run, step: Step): Promise<void> | undefined {
  if (step.nextRequest || run.state.handoff) return undefined
  const prepared = processInputStep(run, step)
  if (isThenable(prepared)) {
    return prepared.then((settings) => {
      step.prepared = settings
    })
  }
  step.prepared = prepared
  return undefined
}
