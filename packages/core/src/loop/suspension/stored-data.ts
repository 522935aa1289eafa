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

/** As {@link encodeResumeData}, for answers to calls: those that are decisions are stored, by call id. */
export function encodeAnswers(answers: CallAnswers): string | undefined {
  const decisions = [...answers].filter(([, answer]) => decisionOf(answer) !== undefined)
  return encodeResumeData(Object.fromEntries(decisions))
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
