import { isRecord } from '../../record.ts'
import type { CallAnswers } from '../../tools/call-answers.ts'

/**
 * The part of resume data that is stored, as text: decisions, alone or by call id, without their reasons. Other data
 * was written by a person and not yet reviewed by any guard. It is not stored, so it must be passed again after a
 * crash.
 */
export function encodeResumeData(data: unknown): string | undefined {
  const decision = decisionOf(data)
  if (decision) return JSON.stringify(decision)
  if (!isRecord(data)) return undefined
  const decisions = Object.entries(data).map(([id, value]) => [id, decisionOf(value)] as const)
  if (decisions.length === 0 || decisions.some(([, one]) => one === undefined)) return undefined
  return JSON.stringify(Object.fromEntries(decisions))
}

/** Decisions on calls, by call id, and by whom. */
export type StoredDecisions = [decisions: Record<string, { approved: boolean }>, by: Record<string, string>]

/** As {@link encodeResumeData}, for answers to calls: those that are decisions are stored. */
export function encodeAnswers(
  answers: CallAnswers,
  byOf: (id: string) => string | undefined,
): string | undefined {
  const decisions = [...answers].flatMap(([id, answer]) => {
    const decision = decisionOf(answer)
    return decision ? [[id, decision] as const] : []
  })
  if (decisions.length === 0) return undefined
  const by = decisions.flatMap(([id]) => {
    const one = byOf(id)
    return one === undefined ? [] : [[id, one] as const]
  })
  return JSON.stringify([Object.fromEntries(decisions), Object.fromEntries(by)] satisfies StoredDecisions)
}

/** The stored decisions on calls; `undefined` if the text is data for a hook. */
export function decodeDecisions(text: string | undefined): StoredDecisions | undefined {
  const data = decodeResumeData(text)
  return Array.isArray(data) ? (data as StoredDecisions) : undefined
}

export function decodeResumeData(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}

/** The decision in an answer. None if more depends on the answer, such as an input: half of it would be another answer. */
export function decisionOf(value: unknown): { approved: boolean } | undefined {
  if (!isRecord(value) || typeof value.approved !== 'boolean') return undefined
  const { approved, reason: _, ...rest } = value
  return Object.keys(rest).length === 0 ? { approved } : undefined
}
