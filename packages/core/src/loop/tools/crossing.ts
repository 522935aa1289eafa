import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { Crossing } from './process-execution.ts'

/**
 * Passes a tool's input or output through `processExecution`. Returns the value unchanged, and synchronously, if no
 * processor has the hook.
 */
export function cross(run: Run, step: Step, crossing: Crossing): unknown {
  if (run.pipeline.processExecution === null) return crossing.value
  return import('./process-execution.ts').then(({ processExecution }) =>
    processExecution(run, step, crossing),
  )
}
