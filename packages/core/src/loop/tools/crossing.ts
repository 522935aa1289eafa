import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Crossing } from './process-execution.ts'

/** Takes a value into a tool or back through the processors. At once, and unchanged, if no processor has that hook. */
export function cross(run: Run, step: Step, crossing: Crossing): unknown {
  if (run.pipeline.processExecution === null) return crossing.value
  return import('./process-execution.ts').then(({ processExecution }) =>
    processExecution(run, step, crossing),
  )
}
