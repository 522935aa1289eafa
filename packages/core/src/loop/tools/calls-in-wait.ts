import { isSame } from '../../processors/snapshot-of.ts'
import { recordOf } from '../../run/call-record.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Phase } from '../../run/resume-point.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { Suspend } from '../../signals.ts'
import type { ToolCall } from '../../tools/tool.ts'
import { payloadOf, questionsOf, type WaitingCall } from '../../tools/waiting-calls.ts'

/** All calls of the step that wait, in the order of the calls, whatever they wait for. */
export function callsInWait({ state }: Pick<Step, 'state'>): WaitingCall[] {
  return ownCalls(state).flatMap((call) => waitsOf(state, call))
}

/** What a call waits for: at most one thing, or the calls of the agent that it has called. */
function waitsOf({ calls }: Step['state'], { toolCallId, toolName }: ToolCall): WaitingCall[] {
  const { decision, approval, suspended, interrupted, outcome } = calls[toolCallId] ?? {}
  if (decision === undefined || decision.kind === 'answer' || outcome) return []
  const call = { toolCallId, toolName, input: decision.input }
  if (approval?.status === 'requested' && approval.edited === undefined) {
    const { reason, expiresAt } = approval
    const shown = { ...(reason !== undefined && { reason }), ...(expiresAt !== undefined && { expiresAt }) }
    return [{ ...call, waitsFor: 'approval', ...shown }]
  }
  if (interrupted) {
    const isOpen = interrupted.answer === 'open'
    return isOpen ? [{ ...call, waitsFor: 'outcome', ...(interrupted.executed && { executed: true }) }] : []
  }
  if (suspended) return suspended.answer ? [] : questionsOf(call, suspended.payload)
  return decision.kind === 'client' ? [{ ...call, waitsFor: 'output' }] : []
}

/** What the agent that has the turn waits for. Its calls have the id of the call that handed off. */
export function callsOfHandoff({ state: { handoff }, steps }: Run): WaitingCall[] {
  const step = steps.find(({ number }) => number === handoff?.stepNumber)
  const call = step && ownCalls(step.state).find(({ toolCallId }) => toolCallId === handoff?.toolCallId)
  if (!step || !call || !handoff?.waiting) return []
  const { toolCallId, toolName } = call
  const { decision } = recordOf(step.state, toolCallId)
  const input = decision && 'input' in decision ? decision.input : call.input
  return questionsOf({ toolCallId, toolName, input }, handoff.waiting)
}

/** The suspension of a run until its calls are answered. */
export function suspensionOf(run: Run, step: Step, phase: Phase): Suspend {
  const waiting = callsInWait(step)
  run.suspendedIn = phase
  run.waitsOn = waitedBefore(run, waiting)
  const signal = new Suspend(payloadOf(waiting))
  signal.toolCallId = ownCalls(step.state).find((call) => waitsOf(step.state, call).length > 0)?.toolCallId
  return signal
}

/** Whether all of these calls waited before, unchanged. A call that has changed is shown as new. */
export function waitedBefore({ waited }: Run, waiting: readonly WaitingCall[]): boolean {
  return waiting.every((call) => waited.some((one) => isSame(one, call)))
}
