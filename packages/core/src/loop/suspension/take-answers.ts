import { type CallRecord, recordOf } from '../../run/call-record.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { ToolApprovalResponse } from '../../tools/approval.ts'
import { type CallAnswers, readAnswers, TIMED_OUT } from '../../tools/call-answers.ts'
import { denial } from '../../tools/decision.ts'
import { answersWithin, type InterruptedCallAnswer, type WaitingCall } from '../../tools/waiting-calls.ts'
import { callsInWait, callsOfHandoff } from '../tools/calls-in-wait.ts'

/** The calls of a restored run that wait: those of its step or, if an agent has the turn, those of that agent. */
export function waitingCallsOfRun(run: Run, step: Step | undefined): WaitingCall[] {
  switch (run.resumption?.point.phase) {
    case 'handoff':
      return callsOfHandoff(run)
    case 'approval':
    case 'execute':
      return step ? callsInWait(step) : []
    default:
      return []
  }
}

/**
 * Reads the answers to the calls that a restored run waits for. Nothing is changed.
 *
 * @throws MillraceError `RUN_RESUME_INVALID`
 */
export function answersTo(run: Run, step: Step | undefined, data: unknown): CallAnswers {
  const waiting = waitingCallsOfRun(run, step)
  const known = [step, ...run.steps].flatMap((one) => (one ? ownCalls(one.state) : []))
  return readAnswers(data, { waiting, known: known.map(({ toolCallId }) => toolCallId) })
}

/** Applies answers to the calls that the run waits for. Each goes to the record of its call, with who has given it. */
export function takeAnswers(
  run: Run,
  step: Step | undefined,
  { answers, byOf = () => run.by }: { answers: CallAnswers; byOf?: (id: string) => string | undefined },
): void {
  const waiting = waitingCallsOfRun(run, step)
  run.waited = waiting.filter(({ toolCallId }) => !answers.has(toolCallId))
  if (run.resumption?.point.phase === 'handoff') {
    const { toolCallId } = run.state.handoff as NonNullable<Run['state']['handoff']>
    run.resumption.data = answersWithin(toolCallId, answers) ?? answers.get(toolCallId)
    return
  }
  for (const { toolCallId } of step ? ownCalls(step.state) : []) {
    const within = answersWithin(toolCallId, answers)
    if (!within && !answers.has(toolCallId)) continue
    const record = recordOf((step as Step).state, toolCallId)
    const by = byOf(toolCallId)
    if (by !== undefined && answers.get(toolCallId) !== TIMED_OUT) record.decidedBy = by
    if (within) {
      record.suspended = { ...record.suspended, answer: { data: within } }
      continue
    }
    const call = waiting.find((one) => one.toolCallId === toolCallId)
    // The client has executed it.
    if (call?.waitsFor === 'output') (step as Step).state.toolsRan = true
    takeAnswer(record, answers.get(toolCallId), call)
  }
}

function takeAnswer(record: CallRecord, answer: unknown, call: WaitingCall | undefined): void {
  switch (call?.waitsFor) {
    case 'approval':
      takeApproval(record, answer as ToolApprovalResponse)
      return
    case 'outcome':
      takeOutcome(record, answer as InterruptedCallAnswer)
      return
    case 'answer':
      record.suspended = { ...record.suspended, answer: answer === undefined ? {} : { data: answer } }
      return
    case 'output':
      record.outcome =
        answer instanceof Error
          ? { status: 'error', error: answer.message }
          : { status: 'success', output: answer }
      return
  }
}

function takeApproval(record: CallRecord, { approved, reason, ...edit }: ToolApprovalResponse): void {
  if (!approved) record.decision = denial(reason)
  else if (!('input' in edit)) record.approval = { ...record.approval, status: 'granted' }
  else {
    delete record.input
    record.approval = { ...record.approval, status: 'requested', edited: { input: edit.input } }
  }
}

function takeOutcome(record: CallRecord, answer: InterruptedCallAnswer): void {
  if ('retry' in answer) {
    if (record.interrupted) record.interrupted.answer = 'retry'
    return
  }
  delete record.interrupted
  record.outcome =
    'error' in answer
      ? { status: 'error', error: answer.error }
      : { status: 'success', output: answer.output }
}
