import { recordOf } from '../../run/call-record.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { RunCall } from '../../storage/run-store.ts'
import { ownTool, type ToolCall } from '../../tools/tool.ts'
import { INTERRUPTED, OUTPUT_LOST } from '../tools/known-outcomes.ts'
import type { CallOutcome } from './call-outcome.ts'

/**
 * Replays the journal of an interrupted run into its step. Finished calls keep their outcome. The tool's
 * `onInterrupted` decides about calls that were started and not finished. Other calls are executed as usual.
 */
export function replayCalls(
  run: Run,
  step: Step,
  { calls: journal, isReleased = false }: { calls: readonly RunCall[]; isReleased?: boolean },
): void {
  const calls = new Map(ownCalls(step.state).map((call) => [call.toolCallId, call]))
  const outcomes: CallOutcome[] = []
  for (const { toolCallId, outcome } of journal) {
    const call = calls.get(toolCallId)
    if (!call) continue
    step.state.toolsRan = true
    const ended = outcome === undefined ? undefined : (JSON.parse(outcome) as CallOutcome)
    if (ended === undefined || 'executed' in ended)
      interrupt(run, step, { call, isExecuted: ended !== undefined, isReleased })
    else {
      replay(step, { call, outcome: ended })
      outcomes.push(ended)
    }
  }
  restoreStates(run, step, outcomes)
}

/** Restores processor state to the end of the last finished call. */
function restoreStates(run: Run, { state }: Step, outcomes: readonly CallOutcome[]): void {
  for (const { processors, order = 0 } of outcomes.toSorted((a, b) => (a.order ?? 0) - (b.order ?? 0))) {
    state.endedCalls = Math.max(state.endedCalls ?? 0, order)
    for (const [processor, name] of run.pipeline.names) {
      const kept = processors?.[name]
      if (kept) Object.assign(run.gate(processor).state, kept)
    }
  }
}

function replay(
  step: Step,
  { call, outcome }: { call: ToolCall; outcome: Exclude<CallOutcome, { executed: unknown }> },
): void {
  const record = recordOf(step.state, call.toolCallId)
  delete record.interrupted
  // Without the answer: the tool has received it, and must not receive it again.
  if ('suspended' in outcome) record.suspended = outcome.suspended
  else {
    record.outcome = outcome.answer
    if (outcome.isReviewed) record.review = null
    else if (outcome.reviewer !== undefined) record.review = outcome.reviewer
  }
}

function interrupt(
  run: Run,
  step: Step,
  { call, isExecuted, isReleased }: { call: ToolCall; isExecuted: boolean; isReleased: boolean },
): void {
  const { toolCallId, toolName } = call
  const record = recordOf(step.state, toolCallId)
  switch (isReleased ? undefined : ownTool(run.settings.tools, toolName)?.onInterrupted) {
    case 'retry':
      return
    case 'fail':
      record.outcome = { status: 'error', error: isExecuted ? OUTPUT_LOST : INTERRUPTED }
      return
    default: {
      const { interrupted, suspended } = record
      const resumed =
        interrupted?.resumed ?? (suspended && { ...suspended.answer, payload: suspended.payload })
      record.interrupted = {
        answer: 'open',
        ...(isExecuted && { executed: true }),
        ...(resumed && { resumed }),
      }
    }
  }
}
