import type { Run } from '../../run/run.ts'
import type { ExecutedStatus, FinishOptions } from '../../run/run-journal.ts'
import { Suspend } from '../../signals.ts'
import type { Answer } from '../../tools/decision.ts'
import type { ProcessorStates, StateChanges } from './state-changes.ts'

/** How a call ended, as it stands in the journal. */
export type CallOutcome =
  /** `reviewer`: the processor that waits with the answer, which those before it have seen. */
  (
    | { answer: Answer; isReviewed: boolean; reviewer?: string }
    /** It was executed. What came of it was not stored, since processors had yet to see it. */
    | { executed: ExecutedStatus }
    /** The tool waits for something. */
    | { suspended: { payload?: unknown } }
  ) & {
    /** What the processors that saw the outcome keep, as far as it is not in the snapshot: what they keep of it goes with it. */
    processors?: ProcessorStates
    /** Which end of a call in the step this is, counted from 1: calls side by side end in another order than they start. */
    order?: number
  }

/** `states`: what processors keep since the last snapshot of the run. */
export function toCallOutcome(
  run: Run,
  outcome: Answer | Suspend,
  { reviewer, states }: FinishOptions & { states: StateChanges },
): CallOutcome {
  const processors = states.since(run)
  return {
    ...(Suspend.isInstance(outcome)
      ? { suspended: { payload: outcome.payload } }
      : { answer: outcome, isReviewed: reviewer === null, ...(reviewer && { reviewer }) }),
    ...(processors && { processors, order: countEnd(run) }),
  }
}

function countEnd({ current }: Run): number {
  const { state } = (current as NonNullable<Run['current']>).step
  state.endedCalls = (state.endedCalls ?? 0) + 1
  return state.endedCalls
}
