import type { ToolApprovalResponse } from '@millrace/core'
import { isRecord } from '@millrace/core'

/** What the run is resumed with; or an object of such answers by call id. */
export interface ApprovalGateAnswer extends ToolApprovalResponse {
  /** What the tool gets in place of the model's input. It is validated. */
  input?: unknown
}

/** A call somebody has been asked about, as it stands in the processor's state. */
export interface AskedCall {
  readonly toolCallId: string
  readonly toolName: string
  /** What was shown. An answer counts for a call with this input and for no other. */
  readonly input: unknown
  readonly reason?: string
  /** From when on it is too late, in milliseconds since 1970. */
  readonly expiresAt?: number
  answer?: ApprovalGateAnswer
}

/**
 * Notes what was answered: one answer for all calls that wait, or answers by call id. Calls whose time is over are
 * answered with a denial. One answer with an input counts only where one call waits.
 */
export function takeAnswers(asked: readonly AskedCall[], data: unknown): void {
  const waiting = asked.filter(({ answer }) => answer === undefined)
  const common = waiting.length === 1 || !('input' in Object(data)) ? answerOf(data) : undefined
  for (const call of waiting) {
    const isLate = call.expiresAt !== undefined && Date.now() >= call.expiresAt
    const own = isRecord(data) && Object.hasOwn(data, call.toolCallId) ? data[call.toolCallId] : undefined
    const answer = isLate ? TOO_LATE : (common ?? answerOf(own))
    if (answer) call.answer = answer
  }
}

export function isSameInput(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

const TOO_LATE: ApprovalGateAnswer = { approved: false, reason: 'Nobody approved the call in time.' }

function answerOf(data: unknown): ApprovalGateAnswer | undefined {
  if (!isRecord(data) || typeof data.approved !== 'boolean') return undefined
  const { approved, reason, input } = data
  return {
    approved,
    ...(typeof reason === 'string' && { reason }),
    ...(input !== undefined && { input }),
  }
}
