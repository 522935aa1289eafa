import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { hookKit } from '../hooks-on-demand.ts'
import type { StepOutput } from './step-output.ts'

/** Calls `processOutputStep` of every processor with the whole response, before any tool runs. */
export function reviewStep(run: Run, step: Step, output: StepOutput): Promise<void> | undefined {
  output.readBack()
  if (!run.pipeline.processOutputStep) {
    step.state.reviewed = true
    return undefined
  }
  output.watch()
  return hookKit().reviewResponse(run, step, output)
}
