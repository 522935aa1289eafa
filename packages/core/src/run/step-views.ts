import { copyData } from '../copy-data.ts'
import { PerRun } from '../per-run.ts'
import type { Gate } from '../processors/gate.ts'
import type { StepResult } from '../results/result.ts'
import type { Step } from './step.ts'

const views = new PerRun<Map<StepResult, StepResult>>()

/**
 * Copies of the steps for a processor. They are the same in all its hooks, so a step is copied once. Changes to them
 * do not affect other processors.
 */
export function stepsFor(gate: Gate, steps: readonly Step[]): StepResult[] {
  const known = views.get(gate) ?? views.set(gate, new Map())
  return steps.map(({ result }) => {
    const view = known.get(result) ?? copyData(result)
    known.set(result, view)
    return view
  })
}
