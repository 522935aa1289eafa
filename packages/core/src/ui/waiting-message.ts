import { parseSnapshot } from '../loop/suspension/compatibility.ts'
import {
  isToolPart,
  type Message,
  type MessagePart,
  type ToolInvocation,
  type UIMessage,
} from '../messages/message.ts'
import type { StepState } from '../run/step-state.ts'
import type { StoredRun, SuspendedRun } from '../storage/run-store.ts'
import { approvalId } from '../tools/approval.ts'
import type { ToolApprovalPayload } from '../tools/suspension-payload.ts'
import { suspendedPart, toolCallsOf } from './run-data-parts.ts'

/**
 * A run that waits as the message a chat client holds meanwhile, for a client that has lost it: the calls that wait,
 * with approvals that can be answered, and a `data-suspended` part. What was said before them is not in it.
 *
 * @example [...(await memory.getMessages(ids)).map(toUIMessage), ...(await agent.suspendedRuns(ids)).slice(-1).map(toWaitingMessage)]
 */
export function toWaitingMessage(run: SuspendedRun): UIMessage {
  const { runId, payload } = run
  const isApproval = (payload as ToolApprovalPayload | undefined)?.type === 'tool-approval'
  const calls = toolCallsOf(run).map(({ toolCallId, toolName, input }): MessagePart => {
    const waiting: ToolInvocation = isApproval
      ? { toolCallId, input, state: 'approval-requested', approval: { id: approvalId(runId, toolCallId) } }
      : { toolCallId, input, state: 'input-available' }
    return { type: `tool-${toolName}`, ...waiting }
  })
  return { id: runId, role: 'assistant', parts: [{ type: 'step-start' }, ...calls, suspendedPart(run)] }
}

/** As {@link toWaitingMessage}, with all that went out before and under the id that the client has: from the run as it is stored. */
export function wholeWaitingMessage(run: StoredRun): UIMessage {
  const waiting = toWaitingMessage(run)
  const { messages: entries, current } = parseSnapshot(run)
  const messages = entries
    .filter(({ message, origin }) => origin === 'response' && message.role === 'assistant')
    .map(({ message }) => message)
  const [first] = messages
  if (!first) return waiting
  const calls = new Map(waiting.parts.flatMap((part) => (isToolPart(part) ? [[part.toolCallId, part]] : [])))
  const parts = sentParts(messages, current).map((part) => {
    const call = isToolPart(part) ? calls.get(part.toolCallId) : undefined
    if (call) calls.delete(call.toolCallId)
    return call ?? part
  })
  const others = waiting.parts.filter((part) => !isToolPart(part) && part.type !== 'step-start')
  return { ...waiting, id: first.id, parts: [...parts, ...calls.values(), ...others] }
}

/** The parts of a run's answers as they went out: what of the step under way was not emitted is not among them. */
export function sentParts(messages: readonly Message[], current: StepState | undefined): MessagePart[] {
  const parts = messages.flatMap(({ content }) => content.parts)
  if (!current?.wrote || current.emitted) return parts
  return parts.slice(
    0,
    parts.findLastIndex(({ type }) => type === 'step-start'),
  )
}
