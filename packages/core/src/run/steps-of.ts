import type { Run } from './run.ts'
import type { Step } from './step.ts'

/** The steps that have written to the transcript, the current one included. */
export function stepsOf({ steps, current }: Run): Step[] {
  const all = current && !steps.includes(current.step) ? [...steps, current.step] : steps
  return all.filter(({ state }) => state.wrote)
}
