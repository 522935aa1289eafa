import { MillraceError, messageOf } from '../errors.ts'
import { outputJson } from '../messages/json-output.ts'
import { nearestName } from '../nearest-name.ts'
import { isRecord } from '../record.ts'
import type { ToolApprovalResponse } from './approval.ts'
import type { WaitingCall } from './waiting-calls.ts'

/** The valid answers of a resume, by the id of the waiting call. Calls without one keep waiting. */
export type CallAnswers = ReadonlyMap<string, unknown>

export interface CallsInQuestion {
  waiting: readonly WaitingCall[]
  /** The ids of all calls that the run knows, to tell an answer that is late from one that is misspelt. */
  known?: Iterable<string>
}

/**
 * Reads the data that a run is resumed with: an object of answers by call id; `{ approved, reason?, input? }` where
 * exactly one call waits; or `{ approved, reason?, all: true }` for all calls that wait for approval. Where exactly one
 * call waits, its output, answer or outcome may also be given without its id. Approvals past their deadline are denied.
 *
 * @throws MillraceError `RUN_RESUME_INVALID`, which names what is not understood and lists what waits
 */
export function readAnswers(data: unknown, calls: CallsInQuestion): CallAnswers {
  const { waiting } = calls
  const late = waiting.filter(isLate)
  const isNothing = data === undefined && waiting.some(({ waitsFor }) => waitsFor !== 'answer')
  const answers = isNothing && late.length > 0 ? new Map<string, unknown>() : read(data, calls)
  for (const { toolCallId } of late) answers.set(toolCallId, TIMED_OUT)
  return answers
}

/** The answer to a call that was not approved in time. Nobody has given it. */
export const TIMED_OUT: ToolApprovalResponse = {
  approved: false,
  reason: 'The call was not approved in time.',
}

function isLate(call: WaitingCall): boolean {
  return call.waitsFor === 'approval' && call.expiresAt !== undefined && Date.now() >= call.expiresAt
}

function read(data: unknown, calls: CallsInQuestion): Map<string, unknown> {
  const { waiting } = calls
  const [only, ...others] = waiting
  const byId = isRecord(data) ? answersById(data, waiting) : undefined
  if (byId && 'answers' in byId) return byId.answers
  if (isRecord(data) && typeof data.approved === 'boolean' && isDecision(only, others))
    return common(data, waiting)
  if (only && others.length === 0 && !namesCall(data, calls)) {
    const problem = problemOf(data, only)
    if (problem !== undefined) throw invalid(problem, waiting)
    return new Map([[only.toolCallId, answerOf(data, only)]])
  }
  throw invalid(unknownKey(data, calls) ?? byId?.problem ?? 'It does not say which call it answers.', waiting)
}

/** Whether `{ approved }` is a decision on these calls, and not the output or answer of the only one. */
function isDecision(only: WaitingCall | undefined, others: readonly WaitingCall[]): boolean {
  return others.length > 0 || only?.waitsFor === 'approval'
}

/** The answers if each key is the id of a waiting call; otherwise the first problem. */
function answersById(
  data: Record<string, unknown>,
  waiting: readonly WaitingCall[],
): { answers: Map<string, unknown> } | { problem: string } | undefined {
  const entries = Object.entries(data)
  const answers = new Map<string, unknown>()
  for (const [id, answer] of entries) {
    const call = waiting.find(({ toolCallId }) => toolCallId === id)
    if (!call) return undefined
    const problem = problemOf(answer, call)
    if (problem !== undefined) return { problem: `The answer to ${quoted(id)} is not valid: ${problem}` }
    answers.set(id, answerOf(answer, call))
  }
  return entries.length > 0 ? { answers } : undefined
}

/** Reads the short form: one decision for the only call, or for all that wait for approval. */
function common(data: Record<string, unknown>, waiting: readonly WaitingCall[]): Map<string, unknown> {
  const { all, ...answer } = data
  const asked = waiting.filter(({ waitsFor }) => waitsFor === 'approval')
  const problem = approvalProblem(answer, all === undefined ? APPROVAL_KEYS : [...APPROVAL_KEYS, 'all'])
  if (problem !== undefined) throw invalid(problem, waiting)
  if (all === undefined) {
    if (waiting.length === 1) return new Map(asked.map(({ toolCallId }) => [toolCallId, answer]))
    throw invalid(`{ approved } is for one call, and ${waiting.length} wait.`, waiting)
  }
  if (all !== true) throw invalid(`all is ${String(all)}. Leave it out, or set it to true.`, waiting)
  if ('input' in answer) throw invalid('An input is for one call, and not for all.', waiting)
  if (asked.length === 0) throw invalid('No call waits for approval.', waiting)
  return new Map(asked.map(({ toolCallId }) => [toolCallId, answer]))
}

const APPROVAL_KEYS: readonly string[] = ['approved', 'reason', 'input']

/** Why it is no answer to this call; `undefined` if it is one. */
function problemOf(answer: unknown, { waitsFor }: WaitingCall): string | undefined {
  switch (waitsFor) {
    case 'approval':
      return isRecord(answer) ? approvalProblem(answer, APPROVAL_KEYS) : 'It has no boolean approved.'
    case 'outcome':
      return isOutcome(answer) ? undefined : 'It is not one of { output }, { error } and { retry: true }.'
    case 'output':
      return answer === undefined ? 'It has no output.' : undefined
    case 'answer':
      return undefined
    default:
      return waitsFor satisfies never
  }
}

function approvalProblem(answer: Record<string, unknown>, keys: readonly string[]): string | undefined {
  const stray = Object.keys(answer).find((key) => !keys.includes(key))
  if (stray !== undefined) return `It has the unknown key ${quoted(stray)}.${meant(stray, keys)}`
  const { approved, reason } = answer
  if (typeof approved !== 'boolean') return 'It has no boolean approved.'
  if (reason !== undefined && typeof reason !== 'string') return 'Its reason is not a text.'
  return !approved && 'input' in answer ? 'A denied call has no input.' : undefined
}

/** Whether it is an object with exactly one of `retry`, `output` and `error`. */
function isOutcome(answer: unknown): boolean {
  if (!isRecord(answer) || Object.keys(answer).length !== 1) return false
  return 'output' in answer || answer.retry === true || typeof answer.error === 'string'
}

/** The answer as data. What a client or person sends as an output is JSON, or the error of the call. */
function answerOf(answer: unknown, { waitsFor, toolName }: WaitingCall): unknown {
  if (waitsFor === 'output' && !(answer instanceof Error)) return json(answer, toolName)
  if (waitsFor === 'outcome' && isRecord(answer) && 'output' in answer)
    return { output: json(answer.output, toolName) }
  return answer
}

function json(output: unknown, toolName: string): unknown {
  try {
    return outputJson(output)
  } catch (cause) {
    throw new MillraceError(
      'RUN_RESUME_INVALID',
      `The output for the call of '${toolName}' is not JSON: ${messageOf(cause)}. Resume with plain objects, lists, strings, numbers, booleans and null.`,
      { cause },
    )
  }
}

/** Whether a key is the id of a call, or nearly that of a waiting one, so that the data cannot be an answer itself. */
function namesCall(data: unknown, { waiting, known = [] }: CallsInQuestion): boolean {
  if (!isRecord(data)) return false
  const ids = new Set([...known, ...waiting.map(({ toolCallId }) => toolCallId)])
  return Object.keys(data).some((key) => ids.has(key) || nearestId(key, waiting) !== undefined)
}

function nearestId(key: string, waiting: readonly WaitingCall[]): string | undefined {
  // An id of a provider is longer, and has digits.
  const isLikeId = key.length > MAX_EDITS * 2 && /\d/.test(key)
  return isLikeId
    ? nearestName(
        key,
        waiting.map(({ toolCallId }) => toolCallId),
        MAX_EDITS,
      )
    : undefined
}

const MAX_EDITS = 2

/** What is wrong with the first key that is not the id of a waiting call. */
function unknownKey(data: unknown, { waiting, known = [] }: CallsInQuestion): string | undefined {
  if (!isRecord(data)) return undefined
  const ids = waiting.map(({ toolCallId }) => toolCallId)
  const stray = Object.keys(data).find((key) => !ids.includes(key))
  if (stray === undefined) return undefined
  if ([...known].includes(stray)) return `The call ${quoted(stray)} does not wait, or was answered before.`
  return `No call has the id ${quoted(stray)}.${meant(stray, [...ids, 'approved', 'all'])}`
}

function meant(key: string, names: Iterable<string>): string {
  const name = nearestName(key, names)
  return name === undefined ? '' : ` Did you mean '${name}'?`
}

function quoted(key: string): string {
  return `'${key.slice(0, 80)}'`
}

/** Says what is wrong, what waits, and how each of these is answered. */
function invalid(problem: string, waiting: readonly WaitingCall[]): MillraceError {
  const listed = waiting.slice(0, MAX_LISTED).map(({ toolCallId, toolName, waitsFor }) => {
    return `'${toolCallId}' (${toolName}) for ${FORMS[waitsFor]}`
  })
  if (waiting.length > MAX_LISTED) listed.push(`${waiting.length - MAX_LISTED} more`)
  const short = waiting.some(({ waitsFor }) => waitsFor === 'approval')
    ? ' { approved } alone answers the only call that waits, { approved, all: true } all approvals.'
    : ''
  return new MillraceError(
    'RUN_RESUME_INVALID',
    `The data does not answer what the run waits for. ${problem} These calls wait: ${listed.join('; ')}. Resume the run with an object of answers by call id.${short}`,
  )
}

const MAX_LISTED = 20

const FORMS: Readonly<Record<WaitingCall['waitsFor'], string>> = {
  approval: '{ approved, reason?, input? }',
  output: 'the output of the tool',
  answer: 'the data that the tool asks for',
  outcome: '{ output }, { error } or { retry: true }',
}
