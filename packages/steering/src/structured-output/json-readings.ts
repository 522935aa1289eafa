import { endedJson } from './ended-json.ts'
import { JsonSpan } from './json-span.ts'

/** How a value was found: as the text is, within it, after a repair, or in what there is of a text that breaks off. */
export type ReadingKind = 'whole' | 'extracted' | 'repaired' | 'truncated'

export interface Reading {
  readonly value: unknown
  readonly kind: ReadingKind
}

/** Longer texts are not repaired: what the library needs for some grows with the square of their length. */
const LONGEST_REPAIR = 65_536

/** What a text may mean as JSON, the likeliest first. Nothing is repaired before it is asked for. */
export async function* jsonReadings(text: string): AsyncGenerator<Reading> {
  const whole = isOpen(text) ? undefined : parsed(text)
  if (whole) yield { value: whole.value, kind: 'whole' }
  const candidates = candidatesIn(text)
  for (const { json, isComplete } of candidates) {
    const value = isComplete ? parsed(json) : undefined
    if (value) yield { value: value.value, kind: 'extracted' }
  }
  for (const { json, isComplete } of candidates) {
    const ended = isComplete ? json : endedJson(json)
    if (ended === undefined) continue
    const value = parsed(ended) ?? (await repaired(ended))
    if (value) yield { value: value.value, kind: isComplete ? 'repaired' : 'truncated' }
  }
}

interface Candidate {
  readonly json: string
  /** Its brackets are closed. */
  readonly isComplete: boolean
}

/** Where a JSON object or array may stand: in a fence, at the first brace or bracket, at the other one behind that. */
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
    // What stands within a value is a part of it, and not what was meant.
    const isBehind = outer.every(({ json, isComplete }) => isComplete && first + json.length <= second)
    return isBehind ? [...outer, ...candidatesFrom(place.slice(second))] : outer
  })
}

/** What stands between the first fence and the next. */
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
  // Brackets within strings that are not quoted properly mislead: the last one that closes is the other guess.
  const last = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1
  return [...new Set([end, last])].map((place) => ({ json: text.slice(0, place), isComplete: true }))
}

/** Whether it has an object or array that is never closed. A parser would put all of it together first. */
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
  if (text.length > LONGEST_REPAIR) return undefined
  const { jsonrepair } = await import('jsonrepair')
  try {
    return parsed(jsonrepair(text))
  } catch {
    // Beyond repair, or nested too deeply.
    return undefined
  }
}
