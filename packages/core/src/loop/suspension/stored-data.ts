import { isRecord } from '../../record.ts'

/**
 * What is stored of the data a run is resumed with, as text: decisions, alone or by call id, without their reasons. All
 * else was written by a person and seen by no guard yet, so it is not stored: after a crash it is given again.
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
