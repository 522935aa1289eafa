import type { Run } from '../../run/run.ts'
import type { ExecutedStatus, FinishOptions } from '../../run/run-journal.ts'
import { Suspend } from '../../signals.ts'
import type { Answer } from '../../tools/decision.ts'
import type { ProcessorStates, StateChanges } from './state-changes.ts'

/** The outcome of a call, as the journal stores it. */
export type CallOutcome =
  /** `reviewer`: the processor that has suspended on the answer. Those before it have reviewed the answer. */
  (
    | { answer: Answer; isReviewed: boolean; reviewer?: string }
    /** The call was executed. Its output was not stored, because the processors had not reviewed it. */
    | { executed: ExecutedStatus }
    /** The tool has suspended. */
    | { suspended: { payload?: unknown } }
  ) & {
    /** The changes to the state of the processors that saw the outcome, since the last snapshot. */
    processors?: ProcessorStates
    /**
     * The position of this call among the calls of the step in the order in which they ended, from 1. Parallel calls
     * may end in another order than they started.
     */
    order?: number
  }

/** The outcome in its stored form. `states`: the changes to processor state since the last snapshot. */
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
