import type { Step } from '../run/step.ts'
import { Suspend } from '../signals.ts'

/**
 * Suspends if a processor asks for the approval of this call: without a run, nobody can give it.
 *
 * @throws {Suspend}
 */
export function refuseApproval({ state }: Step, toolCallId: string): void {
  const { [toolCallId]: record } = state.calls
  if (record?.approval?.status !== 'needed') return
  throw Object.assign(new Suspend(), {
    processorId: record.approval.askedBy,
    hook: 'processToolCall',
    toolCallId,
  })
}
