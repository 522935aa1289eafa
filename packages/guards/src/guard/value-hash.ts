import { SLICE, type Task } from './task.ts'
import { TextHash } from './text-hash.ts'

/** How much is hashed between two turns of the event loop, in UTF-16 units: a fraction of a millisecond. */
const AT_ONCE = 65_536

/**
 * A hash of the JSON of a value: equal for equal JSON, `undefined` for what is not JSON, and for bytes. Strings are hashed unescaped,
 * since escaping long ones is slow.
 */
export function* valueKey(value: unknown): Task<string | undefined> {
  if (typeof value === 'string') return yield* textKey(value)
  const pieces: string[] = []
  try {
    if (!isPlain(value)) return undefined
    if (!addTo(pieces, value)) {
      const json = JSON.stringify(value)
      if (json === undefined) return undefined
      return yield* valueKey(JSON.parse(json) as unknown)
    }
  } catch {
    return undefined
  }
  return `json ${yield* keyOf(pieces)}`
}

/** A hash of a text. */
export function textKey(text: string): Task<string> {
  return keyOf([text])
}

function* keyOf(pieces: readonly string[]): Task<string> {
  const hash = new TextHash()
  let remaining = AT_ONCE
  for (const piece of pieces) {
    if (piece.length <= remaining) {
      hash.add(piece)
      remaining -= piece.length
      continue
    }
    for (let start = 0; start < piece.length; start += AT_ONCE) {
      hash.add(piece.slice(start, start + AT_ONCE))
      yield SLICE
    }
    remaining = AT_ONCE
  }
  return hash.key
}

function isPlain(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function' && typeof value !== 'symbol'
}

/** Adds the JSON of a value in pieces. Returns false where only `JSON.stringify` can tell what it is. */
function addTo(pieces: string[], value: unknown): boolean {
  if (typeof value === 'string') {
    // The length before it keeps a string apart from the syntax around it.
    pieces.push(`"${value.length}"`, value)
    return true
  }
  if (value === null || typeof value === 'boolean') {
    pieces.push(String(value))
    return true
  }
  if (typeof value === 'number') {
    pieces.push(Number.isFinite(value) ? `${value},` : 'null')
    return true
  }
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) throw new TypeError('bytes are no JSON')
  if (typeof value !== 'object' || 'toJSON' in value) return false
  if (Array.isArray(value)) {
    pieces.push('[')
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index]
      if (!addTo(pieces, isPlain(item) ? item : null)) return false
    }
    pieces.push(']')
    return true
  }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) return false
  pieces.push('{')
  for (const [name, item] of Object.entries(value)) {
    if (!isPlain(item)) continue
    pieces.push(`"${name.length}"`, name)
    if (!addTo(pieces, item)) return false
  }
  pieces.push('}')
  return true
}
