import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Crossing } from './process-execution.ts'

/** What becomes of a value on its way into a tool or back. At once, and unchanged, where no processor has that hook. */
export function cross(run: Run, step: Step, crossing: Crossing): unknown {
  if (run.pipeline.processExecution === null) return crossing.value
  return import('./process-execution.ts').then(({ processExecution }) =>
    processExecution(run, step, crossing),
  )
}
