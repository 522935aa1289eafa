/** Characters that are kept of a text. */
const MOST_CHARACTERS = 16_000
/** How deep values are looked at, and how many entries of one. */
const MOST_DEPTH = 20
const MOST_ENTRIES = 1_000

/** Keys under which messages, prompts and chunks have the content of files. */
const FILE_KEYS: ReadonlySet<string> = new Set(['data', 'url', 'image'])

/**
 * A copy of what was said that is kept for listeners: texts are cut at {@link MOST_CHARACTERS}, and of files the content is
 * left out.
 */
export function boundedCopy<T>(value: T): T {
  return copy(value, 0) as T
}

/** A text as it is kept. Never cut within a character. */
export function boundedText(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text
  const end = /[\uD800-\uDBFF]/.test(text.charAt(MOST_CHARACTERS - 1)) ? MOST_CHARACTERS - 1 : MOST_CHARACTERS
  return text.slice(0, end)
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return boundedText(value)
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  if (value instanceof URL) return value.href.startsWith('data:') ? undefined : value.href
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || depth > MOST_DEPTH) return undefined
  if (Array.isArray(value)) return value.slice(0, MOST_ENTRIES).map((entry) => copy(entry, depth + 1))
  const isFile = 'mediaType' in value
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, MOST_ENTRIES)
      .filter(([key]) => !(isFile && FILE_KEYS.has(key)))
      .map(([key, entry]) => [key, copy(entry, depth + 1)]),
  )
}
