import { completeJson } from './complete-json.ts'
import { JsonSpan } from './json-span.ts'

/** How a value was found: the whole text, after a repair, or in a truncated text. */
export type ReadingKind = 'whole' | 'repaired' | 'truncated'

export interface Reading {
  readonly value: unknown
  readonly kind: ReadingKind
}

/** Longer texts are not repaired: for some texts the library needs quadratic time. */
const MAX_REPAIR_LENGTH = 65_536

/**
 * The possible readings of a text as JSON, most likely first, without the values in it that need no repair. Repairs are
 * only computed when they are reached.
 */
export async function* jsonReadings(text: string): AsyncGenerator<Reading> {
  const whole = isOpen(text) ? undefined : parsed(text)
  if (whole) yield { value: whole.value, kind: 'whole' }
  for (const { json, isComplete } of candidatesIn(text)) {
    const completed = isComplete ? json : completeJson(json)
    if (completed === undefined) continue
    const valid = parsed(completed)
    if (valid && isComplete) continue
    const value = valid ?? (await repaired(completed))
    if (value) yield { value: value.value, kind: isComplete ? 'repaired' : 'truncated' }
  }
}

interface Candidate {
  readonly json: string
  /** Whether its brackets are closed. */
  readonly isComplete: boolean
}

/** Candidates for a JSON object or array: in a fence, at the first brace or bracket, and at the other one after it. */
function candidatesIn(text: string): Candidate[] {
  const inFence = fenced(text)
  const places = inFence === undefined ? [text] : [inFence, text]
  return places.flatMap((place) => {
    const [first = -1, second = -1] = ['{', '[']
      .map((bracket) => place.indexOf(bracket))
      .filter((start) => start !== -1)
      .sort((a, b) => a - b)
    if (first === -1) return []
    const outer = candidatesFrom(place.slice(first))
    // A bracket within a value belongs to it, and does not begin another candidate.
    const isBehind = outer.every(({ json, isComplete }) => isComplete && first + json.length <= second)
    return isBehind ? [...outer, ...candidatesFrom(place.slice(second))] : outer
  })
}

/** The text between the first fence and the next. */
function fenced(text: string): string | undefined {
  const fence = text.indexOf('```')
  const start = fence === -1 ? -1 : text.indexOf('\n', fence)
  if (start === -1) return undefined
  const end = text.indexOf('```', start)
  return text.slice(start + 1, end === -1 ? text.length : end)
}

function candidatesFrom(text: string): Candidate[] {
  const end = new JsonSpan().push(text)
  if (end === -1) return [{ json: text, isComplete: false }]
  if (parsed(text.slice(0, end))) return [{ json: text.slice(0, end), isComplete: true }]
  // Improperly quoted strings may contain brackets: the last closing bracket is the second candidate.
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1
  return [...new Set([end, last])].map((place) => ({ json: text.slice(0, place), isComplete: true }))
}

/** Whether it begins an object or array that is never closed. A parser would first build all of it. */
function isOpen(text: string): boolean {
  return /^\s*[{[]/.test(text) && new JsonSpan().push(text) === -1
}

function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

async function repaired(text: string): Promise<{ value: unknown } | undefined> {
  if (text.length > MAX_REPAIR_LENGTH) return undefined
  const { jsonrepair } = await import('jsonrepair')
  try {
    return parsed(jsonrepair(text))
  } catch {
    // It cannot be repaired, or is nested too deeply.
    return undefined
  }
}
