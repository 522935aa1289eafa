import type { ToolApprovalResponse } from '@millrace/core'
import { isRecord } from '@millrace/core'

/** What the run is resumed with: one answer, or an object of answers by call id. */
export interface ApprovalGateAnswer extends ToolApprovalResponse {
  /** Replaces the model's input. It is validated. */
  input?: unknown
}

/** A call that waits for an answer, as stored in the processor's state. */
export interface ApprovalRequest {
  readonly toolCallId: string
  readonly toolName: string
  /** The input that was shown. An answer applies to a call with this input only. */
  readonly input: unknown
  readonly reason?: string
  /** The deadline for an answer, in milliseconds since 1970. */
  readonly expiresAt?: number
  answer?: ApprovalGateAnswer
}

/**
 * Stores answers: one for all waiting calls, or answers by call id. Calls past their deadline are denied. One answer
 * with an input only applies if a single call is waiting.
 */
export function storeAnswers(asked: readonly ApprovalRequest[], data: unknown): void {
  const waiting = asked.filter(({ answer }) => answer === undefined)
  const common = waiting.length === 1 || !('input' in Object(data)) ? answerOf(data) : undefined
  for (const call of waiting) {
    const isLate = call.expiresAt !== undefined && Date.now() >= call.expiresAt
    const own = isRecord(data) && Object.hasOwn(data, call.toolCallId) ? data[call.toolCallId] : undefined
    const answer = isLate ? TIMED_OUT : (common ?? answerOf(own))
    if (answer) call.answer = answer
  }
}

export function isSameInput(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

const TIMED_OUT: ApprovalGateAnswer = { approved: false, reason: 'The call was not approved in time.' }

function answerOf(data: unknown): ApprovalGateAnswer | undefined {
  if (!isRecord(data) || typeof data.approved !== 'boolean') return undefined
  const { approved, reason, input } = data
  return {
    approved,
    ...(typeof reason === 'string' && { reason }),
    ...(input !== undefined && { input }),
  }
}
