import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'

/** From the next step on, the agent that this step has called has the turn. */
export function beginHandoff(run: Run, { state }: Step): void {
  run.state.handoff = {
    toolCallId: state.handoff as string,
    stepNumber: state.number,
    waiting: undefined,
    texts: [],
    ended: undefined,
  }
}
