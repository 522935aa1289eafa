/**
 * The levels of objects and lists that providers read in a tool's input. Google reads it as protobuf, in at most 100
 * nested messages: three for each level, and four around the input.
 */
const MAX_LEVELS = 32

/** The levels of a message's content around a tool's input. */
const AROUND = 2

/** Whether all strings are Unicode text, without lone surrogates, and nothing is nested too deeply. */
export function isValidJson(value: unknown, levels: number = MAX_LEVELS + AROUND): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (!isContainer(value)) return true
  if (levels === 0) return false
  if (Array.isArray(value)) {
    for (const item of value) if (!isValidJson(item, levels - 1)) return false
    return true
  }
  for (const key in value) if (!key.isWellFormed() || !isValidJson(value[key], levels - 1)) return false
  return true
}

/** A copy with a replacement character for each lone surrogate, and with JSON text where it is nested too deeply. */
export function toValidJson<T>(value: T, levels?: number): T
export function toValidJson(value: unknown, levels: number = MAX_LEVELS + AROUND): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (!isContainer(value)) return value
  if (levels === 0) return jsonText(value)
  if (Array.isArray(value)) return value.map((item) => toValidJson(item, levels - 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key.toWellFormed(), toValidJson(field, levels - 1)]),
  )
}

/** Lists and objects, but not bytes and URLs, which the provider's client converts. */
function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && !(value instanceof URL)
}

function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value).toWellFormed()
  } catch {
    // A cycle, or deeper than the stack.
    return '(This value was left out: it is nested too deeply.)'
  }
}
