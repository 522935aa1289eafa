import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { StepOutput } from '../output/step-output.ts'

/** Loaded when needed, since an agent without tools calls none; and kept, since `import()` takes its time. */
let loaded: typeof import('./run-tools.ts') | undefined

/** Answers every call of a step, if there are any. */
export function callTools(run: Run, step: Step, output: StepOutput): Promise<void> | undefined {
  if (ownCalls(step.state).length === 0) return undefined
  return loaded ? loaded.runTools(run, step, output) : load(run, step, output)
}

async function load(run: Run, step: Step, output: StepOutput): Promise<void> {
  loaded = await import('./run-tools.ts')
  return loaded.runTools(run, step, output)
}
