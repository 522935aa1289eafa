import type { MessagePart, ToolInvocation, UIMessage } from '../messages/message.ts'
import type { SuspendedRun } from '../storage/run-store.ts'
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
