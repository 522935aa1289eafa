import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'

/** Gives the turn to the agent that this step has called, from the next step on. */
export function beginHandoff(run: Run, { state }: Step): void {
  run.state.handoff = {
    toolCallId: state.handoff as string,
    stepNumber: state.number,
    waiting: undefined,
    relayed: [],
    waitsForReview: false,
    ended: undefined,
  }
}
