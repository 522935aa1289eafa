import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { RunCall } from '../../storage/run-store.ts'
import { ownTool, type ToolCall } from '../../tools/tool.ts'
import { INTERRUPTED, OUTPUT_LOST } from '../tools/known-outcomes.ts'
import type { CallOutcome } from './call-outcome.ts'
import { encodeResumeData } from './stored-data.ts'

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
      replay(run, step, { call, outcome: ended })
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
  run: Run,
  step: Step,
  { call, outcome }: { call: ToolCall; outcome: Exclude<CallOutcome, { executed: unknown }> },
): void {
  const { state } = step
  const { toolCallId } = call
  delete state.interrupted[toolCallId]
  if ('suspended' in outcome) state.suspended[toolCallId] = outcome.suspended
  else {
    state.answers[toolCallId] = outcome.answer
    if (outcome.isReviewed) state.reviewedAnswers[toolCallId] = null
    else if (outcome.reviewer !== undefined) state.reviewedAnswers[toolCallId] = outcome.reviewer
  }
  if (run.resumption?.point.phase === 'execute' && run.resumption.point.toolCallId === toolCallId) {
    // The resume data was used. It must not reach the call again.
    run.resumption = { ...run.resumption, point: { ...run.resumption.point, toolCallId: undefined } }
  }
}

function interrupt(
  run: Run,
  step: Step,
  { call, isExecuted, isReleased }: { call: ToolCall; isExecuted: boolean; isReleased: boolean },
): void {
  const { state } = step
  const { toolCallId, toolName } = call
  switch (isReleased ? undefined : ownTool(run.settings.tools, toolName)?.onInterrupted) {
    case 'retry':
      return
    case 'fail':
      state.answers[toolCallId] = { status: 'error', error: isExecuted ? OUTPUT_LOST : INTERRUPTED }
      return
    default: {
      const { resumption } = run
      const before = state.interrupted[toolCallId]?.resumed
      const own =
        resumption?.point.phase === 'execute' && resumption.point.toolCallId === toolCallId
          ? { data: encodeResumeData(resumption.data), payload: resumption.payload }
          : undefined
      const resumed = before ?? own
      state.interrupted[toolCallId] = {
        answer: 'open',
        ...(isExecuted && { executed: true }),
        ...(resumed && { resumed }),
      }
    }
  }
}
