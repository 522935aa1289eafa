import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'

/** Whether an agent has the turn after this step: the step has handed off to it, or it has not finished. */
export function isHandedOff({ state: { handoff } }: Run, { state }: Step): boolean {
  if (handoff) return handoff.ended === undefined
  return state.handoff !== undefined && state.calls[state.handoff]?.outcome?.status === 'success'
}
