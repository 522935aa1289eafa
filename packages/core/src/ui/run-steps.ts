import type { Run } from '../run/run.ts'
import type { Step } from '../run/step.ts'

/** The steps that have written to the transcript. */
export function stepsOf({ steps, current }: Run): Step[] {
  const all = current && !steps.includes(current.step) ? [...steps, current.step] : steps
  return all.filter(({ state }) => state.wrote)
}
