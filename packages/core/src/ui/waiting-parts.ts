import type { MessagePart, ToolInvocation } from '../messages/message.ts'
import type { SuspendedRun } from '../storage/run-store.ts'
import { approvalId } from '../tools/approval.ts'
import { answerableCalls, suspendedPart } from './run-data-parts.ts'

/** The parts that a run waits for: its calls, with approvals that can be answered, and a `data-suspended` part. */
export function waitingParts(run: SuspendedRun): MessagePart[] {
  const { runId } = run
  const calls = answerableCalls(run).map(({ toolCallId, toolName, input, waitsFor }): MessagePart => {
    const waiting: ToolInvocation =
      waitsFor === 'approval'
        ? { toolCallId, input, state: 'approval-requested', approval: { id: approvalId(runId, toolCallId) } }
        : { toolCallId, input, state: 'input-available' }
    return { type: `tool-${toolName}`, ...waiting }
  })
  return [...calls, suspendedPart(run)]
}
