import type { MessagePart, ToolInvocation } from '../messages/message.ts'
import type { SuspendedRun } from '../storage/run-store.ts'
import { approvalId } from '../tools/approval.ts'
import type { ToolApprovalPayload } from '../tools/suspension-payload.ts'
import { suspendedPart, toolCallsOf } from './run-data-parts.ts'

/** The parts that a run waits for: its calls, with approvals that can be answered, and a `data-suspended` part. */
export function waitingParts(run: SuspendedRun): MessagePart[] {
  const { runId, payload } = run
  const isApproval = (payload as ToolApprovalPayload | undefined)?.type === 'tool-approval'
  const calls = toolCallsOf(run).map(({ toolCallId, toolName, input }): MessagePart => {
    const waiting: ToolInvocation = isApproval
      ? { toolCallId, input, state: 'approval-requested', approval: { id: approvalId(runId, toolCallId) } }
      : { toolCallId, input, state: 'input-available' }
    return { type: `tool-${toolName}`, ...waiting }
  })
  return [...calls, suspendedPart(run)]
}
