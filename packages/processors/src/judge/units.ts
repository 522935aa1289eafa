import { rewritePart, type ValuePlace } from '../guard/message-text.ts'

/** What is judged at once: a text, or all that a part says besides as one JSON value. */
export type Unit = unknown

interface Part {
  readonly type: string
}

/** Parts whose texts are prose: each is judged by itself. */
const PROSE: ReadonlySet<string> = new Set([
  'text',
  'reasoning',
  'thinking',
  'file',
  'reasoning-file',
  'steering-message',
])
/** Names and addresses: a judge of prose has nothing to say to them. */
const UNSAID: ReadonlySet<string> = new Set(['mediaType', 'sourceId', 'id', 'kind'])

/** What parts say, but for what their providers say about them. */
export function unitsOf(parts: readonly Part[]): Unit[] {
  return parts.flatMap((part) => {
    const values = valuesOf(part)
    return PROSE.has(part.type) || values.length === 0 ? values : [values]
  })
}

/** The parts with what is left of their units, in the same order. A part of which nothing changed is the same. */
export function withUnits<PART extends Part>(parts: readonly PART[], left: readonly Unit[]): PART[] {
  const units = left.values()
  return parts.map((part) => {
    const isProse = PROSE.has(part.type)
    let values: Iterator<unknown> = units
    if (!isProse && valuesOf(part).length > 0) values = (units.next().value as unknown[]).values()
    return rewritePart(part, (value, at) => (isSaid(value, at) ? values.next().value : value))
  })
}

export function textOf(unit: Unit): string {
  return typeof unit === 'string' ? unit : (JSON.stringify(unit) ?? '')
}

function valuesOf(part: Part): unknown[] {
  const values: unknown[] = []
  rewritePart(part, (value, at) => {
    if (isSaid(value, at)) values.push(value)
    return value
  })
  return values
}

function isSaid(value: unknown, { kind, field }: ValuePlace): boolean {
  return kind !== 'provider' && !UNSAID.has(field) && typeof value !== 'boolean' && typeof value !== 'number'
}
