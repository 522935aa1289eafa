import type { Run } from './run.ts'
import type { Step } from './step.ts'

/**
 * Whether the run has called tools, or handed off the turn. What it has done must not disappear.
 *
 * @param last The step that is not accepted yet. Default: the current one
 */
export function hasCalledTools(
  { steps, current, state: { handoff } }: Run,
  last: Step | undefined = current?.step,
): boolean {
  return handoff !== undefined || [last, ...steps].some((step) => step?.state.toolsRan)
}
