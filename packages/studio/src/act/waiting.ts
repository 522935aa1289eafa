import { isRecord, type SuspendedRun } from '@millrace/core'
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

/** What the payload asks for. If an agent that is a tool is suspended, this is what that agent asks for. */
export function waitingFor(payload: unknown): Waiting {
  if (payload === null || payload === undefined) return { type: 'nothing' }
  if (isRecord(payload)) {
    if (payload.type === 'agent' && 'payload' in payload) return waitingFor(payload.payload)
    if (payload.type === 'thread-unwritten') return { type: 'nothing' }
    const calls = callsOf(payload.toolCalls)
    if (calls && payload.type === 'tool-approval') return { type: 'approval', calls }
    if (calls && payload.type === 'tool-output') return { type: 'tool-output', calls }
    if (calls && payload.type === 'tool-interrupted') return { type: 'interrupted-calls', calls }
  }
  return { type: 'data', payload: jsonText(payload) }
}

/**
 * The data to resume the run with.
 *
 * @throws StudioError `REQUEST_INVALID` if the answer is not of the type that the run waits for
 */
export function answerData(request: AnswerRequest, waiting: Waiting): unknown {
  const wrong = (remedy: string): StudioError =>
    new StudioError(
      'REQUEST_INVALID',
      `The run waits for '${waiting.type}', and the answer is '${request.type}'. ${remedy}`,
    )
  switch (request.type) {
    case 'approve':
    case 'deny': {
      const { type, reason } = request
      // A processor's payload may ask for an approval in its own form.
      if (waiting.type !== 'approval' && waiting.type !== 'data') throw wrong('Send an answer of that type.')
      return { approved: type === 'approve', ...(reason !== undefined && { reason }) }
    }
    case 'decide':
      if (waiting.type !== 'approval') throw wrong('Send an answer of that type.')
      return request.decisions
    case 'output': {
      if (waiting.type !== 'tool-output') throw wrong('Send an answer of that type.')
      const [only, other] = waiting.calls
      if (!only || other) return request.outputs
      if (!Object.hasOwn(request.outputs, only.toolCallId))
        throw wrong(`Send the output of '${only.toolCallId}'.`)
      return request.outputs[only.toolCallId]
    }
    case 'calls':
      if (waiting.type !== 'interrupted-calls') throw wrong('Send an answer of that type.')
      return request.answers
    case 'data':
      return request.data
    case 'continue':
      if (waiting.type !== 'nothing') throw wrong('Send an answer of that type.')
      return undefined
    default:
      return request satisfies never
  }
}

function callsOf(calls: unknown): WaitingCall[] | undefined {
  if (!Array.isArray(calls)) return undefined
  return calls.filter(isRecord).map(({ toolCallId, toolName, input, reason }) => ({
    toolCallId: String(toolCallId),
    toolName: String(toolName),
    input: jsonText(input),
    ...(typeof reason === 'string' && { reason }),
  }))
}

function jsonText(value: unknown): Text {
  const text = typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? '')
  return text.length > MAX_TEXT ? { text: text.slice(0, MAX_TEXT).toWellFormed(), cut: true } : { text }
}
