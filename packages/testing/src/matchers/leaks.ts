import type { MatcherState, SyncMatcherResult } from 'vitest'
import { isUnread, unfit, verdict } from './verdict.ts'

/**
 * None of the secrets occurs in the value: in strings, keys, maps, sets, bytes, errors with their causes and stacks,
 * getters, JSON in strings, or split over adjacent deltas, texts or strings of a list. Promises and streams inside the
 * value are not read; a promise or stream as the value is an error.
 */
export function toLeakNothingOf(
  this: MatcherState,
  received: unknown,
  secrets: string | readonly string[],
): SyncMatcherResult {
  if (isUnread(received)) throw unfit(this, received, 'a value to search')
  const forms = [secrets].flat().flatMap(formsOf)
  const search = new LeakSearch(forms)
  search.visit(received, 'value')
  const { leaks } = search
  const places = leaks.slice(0, 5).map(({ path, excerpt }) => `${path}: ${excerpt}`)
  if (leaks.length > places.length) places.push(`and in ${leaks.length - places.length} more places`)
  const names = forms.map((form) => JSON.stringify(form)).join(', ')
  return verdict(
    leaks.length > 0 ? `expected nothing of ${names}, but found it in\n  ${places.join('\n  ')}` : undefined,
    `expected ${names} to be found somewhere, but it is nowhere`,
  )
}

interface Leak {
  readonly path: string
  readonly excerpt: string
}

class LeakSearch {
  readonly leaks: Leak[] = []
  readonly #forms: readonly string[]
  readonly #seen = new Set<object>()

  constructor(forms: readonly string[]) {
    this.#forms = forms
  }

  visit(value: unknown, path: string): void {
    if (typeof value === 'string') this.#text(value, path)
    if (typeof value !== 'object' || value === null || this.#seen.has(value) || isUnread(value)) return
    this.#seen.add(value)
    if (ArrayBuffer.isView(value)) {
      this.#text(textOfBytes(value), `${path} (bytes)`)
    } else if (value instanceof URL || value instanceof Date || value instanceof RegExp) {
      this.#text(String(value), path)
    } else if (value instanceof Map) {
      for (const [key, entry] of value) {
        this.visit(key, `${path} (key)`)
        this.visit(entry, `${path}.get(${typeof key === 'string' ? JSON.stringify(key) : String(key)})`)
      }
    } else if (value instanceof Set) {
      for (const entry of value) this.visit(entry, `${path} (entry)`)
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) this.visit(item, `${path}[${index}]`)
      this.#spread(value, path)
    } else {
      this.#fields(value, path)
    }
  }

  #fields(value: object, path: string): void {
    for (const key of fieldNames(value)) {
      this.#text(key, `${path} (key)`)
      try {
        this.visit(
          (value as Record<string, unknown>)[key],
          /^[\w$]+$/.test(key) ? `${path}.${key}` : `${path}["${key}"]`,
        )
      } catch {
        // A getter that throws has no value.
      }
    }
  }

  /** Text that a reader gets by joining the items of a list. */
  #spread(items: readonly unknown[], path: string): void {
    const joined = new Map<string, string[]>()
    for (const item of items) {
      for (const [name, piece] of piecesOf(item)) {
        const pieces = joined.get(name) ?? []
        pieces.push(piece)
        joined.set(name, pieces)
      }
    }
    for (const [name, pieces] of joined) {
      if (!pieces.some((piece) => this.#find(piece))) this.#text(pieces.join(''), `${path} (${name}, joined)`)
    }
  }

  #find(text: string): { at: number; length: number } | undefined {
    for (const form of this.#forms) {
      const at = text.indexOf(form)
      if (at >= 0) return { at, length: form.length }
    }
    return undefined
  }

  #text(text: string, path: string): void {
    const found = this.#find(text)
    if (!found) return
    const start = Math.max(0, found.at - 20)
    const end = found.at + found.length + 20
    const excerpt = JSON.stringify(text.slice(start, end))
    this.leaks.push({ path, excerpt: `${start > 0 ? '…' : ''}${excerpt}${end < text.length ? '…' : ''}` })
  }
}

/** The secret, and its form in a JSON string. */
function formsOf(secret: string): string[] {
  if (secret === '') throw new TypeError('toLeakNothingOf() needs a secret of one character or more.')
  return [...new Set([secret, JSON.stringify(secret).slice(1, -1)])]
}

/** The strings of a list item that are pieces of a longer text, with a name for that text. */
function piecesOf(item: unknown): [name: string, piece: string][] {
  if (typeof item === 'string') return [['strings', item]]
  const { type, id, toolCallId, ...fields } = (item ?? {}) as {
    type?: unknown
    id?: unknown
    toolCallId?: unknown
  }
  if (typeof type !== 'string') return []
  const pieces = Object.entries(fields).filter(
    (field): field is [string, string] => typeof field[1] === 'string',
  )
  if (type === 'text' || type === 'reasoning') {
    return pieces.filter(([field]) => field === 'text').map(([, piece]) => [`${type} parts`, piece])
  }
  if (!type.endsWith('-delta')) return []
  const block = [type, id ?? toolCallId].filter(Boolean).join(' ')
  return pieces.map(([field, piece]) => [`${block} ${field}`, piece])
}

function textOfBytes({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return new TextDecoder().decode(new Uint8Array(buffer, byteOffset, byteLength))
}

/** The own properties, also non-enumerable ones, and the getters of the class. */
function fieldNames(value: object): Set<string> {
  const names = new Set(Object.getOwnPropertyNames(value))
  for (
    let proto = Object.getPrototypeOf(value);
    proto && proto !== Object.prototype;
    proto = Object.getPrototypeOf(proto)
  ) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(proto))) {
      if (get) names.add(name)
    }
  }
  return names
}
