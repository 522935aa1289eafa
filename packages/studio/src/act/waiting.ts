import { type WaitingCall as CoreWaitingCall, isRecord, type SuspendedRun } from '@millrace/core'
import { waitingCallsOf } from '@millrace/core/recording'
import { MAX_TEXT } from '../record/bounded-copy.ts'
import { StudioError } from '../studio-error.ts'
import type { AnswerRequest, SuspendedView, Text, Waiting, WaitingCall } from '../wire.ts'

/** A suspended run in the form of the page. */
export function suspendedView(
  run: SuspendedRun,
  { agentName, recorded }: { agentName: string; recorded: boolean },
): SuspendedView {
  const { runId, threadId, resourceId, processorId, createdAt, expiresAt, interrupted } = run
  return {
    runId,
    agentName,
    ...(threadId !== undefined && { threadId }),
    ...(resourceId !== undefined && { resourceId }),
    createdAt,
    expiresAt,
    ...(processorId !== undefined && { processorId }),
    waitsFor: interrupted ? { type: 'nothing' } : waitingFor(run.payload),
    ...(interrupted && {
      interrupted: {
        attempts: interrupted.attempts,
        calls: interrupted.calls.map(({ toolCallId, toolName, input, state }) => ({
          toolCallId,
          toolName,
          input: jsonText(input),
          state,
        })),
      },
    }),
    recorded,
  }
}

/** What the payload asks for. */
export function waitingFor(payload: unknown): Waiting {
  if (payload === null || payload === undefined) return { type: 'nothing' }
  if (isUnwritten(payload)) return { type: 'nothing' }
  const calls = waitingCallsOf(payload)
  return calls.length > 0
    ? { type: 'calls', calls: calls.map(callView) }
    : { type: 'data', payload: jsonText(payload) }
}

/** Whether the run, or that of an agent that it has called, only waits for a store that works again. */
function isUnwritten(payload: unknown): boolean {
  if (!isRecord(payload)) return false
  return payload.type === 'thread-unwritten' || (payload.type === 'agent' && isUnwritten(payload.payload))
}

/**
 * The data to resume the run with. Answers to calls are checked when the run is resumed.
 *
 * @throws StudioError `REQUEST_INVALID` if the answer is not of the type that the run waits for
 */
export function answerData(request: AnswerRequest, waiting: Waiting): unknown {
  const type = request.type === 'continue' ? 'nothing' : request.type
  if (waiting.type !== type) {
    throw new StudioError(
      'REQUEST_INVALID',
      `The run waits for '${waiting.type}', and the answer is '${request.type}'. Send an answer of that type.`,
    )
  }
  switch (request.type) {
    case 'calls':
      return request.answers
    case 'data':
      return request.data
    case 'continue':
      return undefined
    default:
      return request satisfies never
  }
}

function callView(call: CoreWaitingCall): WaitingCall {
  const { toolCallId, toolName, input, waitsFor, agentName } = call
  return {
    toolCallId,
    toolName: String(toolName),
    input: jsonText(input),
    waitsFor,
    ...(agentName !== undefined && { agentName }),
    ...(call.waitsFor === 'answer' && { payload: jsonText(call.payload) }),
    ...(call.waitsFor === 'approval' && call.reason !== undefined && { reason: call.reason }),
  }
}

function jsonText(value: unknown): Text {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')
  return text.length > MAX_TEXT ? { text: text.slice(0, MAX_TEXT).toWellFormed(), cut: true } : { text }
}
