import { isRecord } from '../../record.ts'

/**
 * The part of resume data that is stored, as text: decisions, alone or by call id, without their reasons. Other data
 * was written by a person and not yet reviewed by any guard. It is not stored, so it must be passed again after a
 * crash.
 */
export function encodeResumeData(data: unknown): string | undefined {
  const decision = decisionOf(data)
  if (decision) return JSON.stringify(decision)
  if (!isRecord(data)) return undefined
  const decisions = Object.entries(data).map(([callId, value]) => [callId, decisionOf(value)] as const)
  if (decisions.length === 0 || decisions.some(([, one]) => one === undefined)) return undefined
  return JSON.stringify(Object.fromEntries(decisions))
}

export function decodeResumeData(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}

function decisionOf(value: unknown): { approved: boolean } | undefined {
  return isRecord(value) && typeof value.approved === 'boolean' ? { approved: value.approved } : undefined
}
