import { markFrozen } from './frozen-copy.ts'

/** Maximum length of a text. */
const MAX_CHARACTERS = 16_000
/** Maximum depth of values, and maximum number of entries in each. */
const MAX_DEPTH = 20
const MAX_ENTRIES = 1_000

/** Keys of file content in messages, prompts and chunks. */
const FILE_KEYS: ReadonlySet<string> = new Set(['data', 'url', 'image'])

/** A frozen copy for listeners. Text is truncated to {@link MAX_CHARACTERS}, and the content of files is left out. */
export function boundedCopy<T>(value: T): T {
  const copied = copy(value, 0)
  if (typeof copied === 'object' && copied !== null) markFrozen(copied)
  return copied as T
}

/** The text truncated to the maximum, not within a surrogate pair. */
export function boundedText(text: string): string {
  if (text.length <= MAX_CHARACTERS) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(MAX_CHARACTERS - 1)) ? MAX_CHARACTERS - 1 : MAX_CHARACTERS
  return text.slice(0, end)
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return boundedText(value)
  if (typeof value === 'function') return undefined
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return Object.freeze(new Date(value))
  if (value instanceof URL) return value.href.startsWith('data:') ? undefined : value.href
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || depth > MAX_DEPTH) return undefined
  return Object.freeze(
    Array.isArray(value)
      ? value.slice(0, MAX_ENTRIES).map((entry) => copy(entry, depth + 1))
      : copyFields(value as Record<string, unknown>, depth),
  )
}

function copyFields(value: Record<string, unknown>, depth: number): Record<string, unknown> {
  const isFile = 'mediaType' in value
  const copied: Record<string, unknown> = {}
  let count = 0
  for (const key of Object.keys(value)) {
    if (isFile && FILE_KEYS.has(key)) continue
    if (++count > MAX_ENTRIES) break
    const entry = copy(value[key], depth + 1)
    if (key !== '__proto__') copied[key] = entry
    else Object.defineProperty(copied, key, { value: entry, enumerable: true })
  }
  return copied
}
