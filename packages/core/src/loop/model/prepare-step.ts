import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { processInputStep } from './process-input-step.ts'

/** Lets the processors see and change the step before its model call. Another attempt at a call brings its request along. */
export async function prepareStep(run: Run, step: Step): Promise<void> {
  if (!step.nextRequest) step.prepared = await processInputStep(run, step)
}
