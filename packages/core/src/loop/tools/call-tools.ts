import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { StepOutput } from '../output/step-output.ts'

/**
 * Loaded on demand, since an agent without tools does not need it, and cached, since `import()` costs time on every
 * call.
 */
let loaded: typeof import('./run-tools.ts') | undefined

/** Answers every tool call of a step, if it has any. */
export function callTools(run: Run, step: Step, output: StepOutput): Promise<void> | undefined {
  if (ownCalls(step.state).length === 0) return undefined
  return loaded ? loaded.runTools(run, step, output) : load(run, step, output)
}

async function load(run: Run, step: Step, output: StepOutput): Promise<void> {
  loaded = await import('./run-tools.ts')
  return loaded.runTools(run, step, output)
}
