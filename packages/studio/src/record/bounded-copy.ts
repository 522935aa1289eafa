/** Maximum length of a recorded text, in characters. */
export const MAX_TEXT = 16_000
const MAX_ENTRIES = 2_000
const MAX_DEPTH = 24

/** A copy as JSON, with texts cut at {@link MAX_TEXT}. Values that JSON cannot represent are left out. */
export function boundedCopy<T>(value: T): T {
  return copy(value, 0) as T
}

function copy(value: unknown, depth: number): unknown {
  switch (typeof value) {
    case 'string':
      return value.length > MAX_TEXT ? value.slice(0, MAX_TEXT).toWellFormed() : value
    case 'bigint':
      return String(value)
    case 'object':
      break
    case 'number':
    case 'boolean':
      return value
    default:
      return undefined
  }
  if (value === null) return null
  if (value instanceof Date) return value.toJSON()
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer || depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((entry) => copy(entry, depth + 1))
  const copied: Record<string, unknown> = Object.create(null)
  let count = 0
  for (const key of Object.keys(value)) {
    if (++count > MAX_ENTRIES) break
    copied[key] = copy((value as Record<string, unknown>)[key], depth + 1)
  }
  return copied
}
