import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { isThenable } from '../../schema.ts'
import { processInputStep } from './process-input-step.ts'

/**
 * Lets the processors see and change the step before its model call. Another attempt at a call brings its request along,
 * and the turn of another agent needs none.
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
