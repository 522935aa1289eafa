/** Deeper values take long to garbage-collect. */
const MAX_OPEN = 1_000

/**
 * Completes truncated JSON: an incomplete number, word, or name without value at its end is removed, and all brackets
 * are closed. An incomplete string is kept. `undefined` for a text with too many open brackets.
 */
export function completeJson(text: string): string | undefined {
  const { open, start, boundary, afterColon, inString } = scanOf(text)
  const container = open.at(-1)
  if (container === undefined) return text
  if (open.length > MAX_OPEN) return undefined
  const isMember = container === '[' || afterColon
  const tail = text.slice(start).trim()
  const isValue = inString || (tail === '' ? start === boundary : /["}\]]$/.test(tail))
  const kept = isMember && isValue ? (inString ? completeString(text) : text) : text.slice(0, boundary)
  const closers = open.toReversed().map((bracket) => (bracket === '{' ? '}' : ']'))
  return kept.replace(/,\s*$/, '') + closers.join('')
}

/** Without an incomplete escape sequence. */
function completeString(text: string): string {
  const start = escapeAtEnd(text)
  return `${start === -1 ? text : text.slice(0, start)}"`
}

/** The start of an incomplete escape sequence at the end of the text, or -1. */
function escapeAtEnd(text: string): number {
  const start = text.lastIndexOf('\\')
  if (start === -1 || !/^\\(?:u[\da-f]{0,3})?$/i.test(text.slice(start, start + 7))) return -1
  let first = start
  while (text[first - 1] === '\\') first--
  // The last of an even number of backslashes is escaped itself.
  return (start - first) % 2 === 0 ? start : -1
}

interface Scan {
  /** The open brackets. */
  readonly open: readonly string[]
  /** The position after the last opening bracket, comma or colon. */
  readonly start: number
  /** The end of the last complete member. */
  readonly boundary: number
  readonly afterColon: boolean
  readonly inString: boolean
}

function scanOf(text: string): Scan {
  const open: string[] = []
  let inString = false
  let afterColon = false
  let start = 0
  let boundary = 0
  for (let place = 0; place < text.length; place++) {
    const character = text[place] as string
    if (inString) {
      if (character === '\\') place++
      else if (character === '"') inString = false
      continue
    }
    if (open.length > MAX_OPEN) break
    switch (character) {
      case '"':
        inString = true
        break
      case '{':
      case '[':
        open.push(character)
        afterColon = false
        start = boundary = place + 1
        break
      case '}':
      case ']':
        open.pop()
        // The value that ended is a complete member of its container.
        afterColon = open.at(-1) === '{'
        break
      case ',':
        afterColon = false
        boundary = place
        start = place + 1
        break
      case ':':
        afterColon = true
        start = place + 1
        break
    }
  }
  return { open, start, boundary, afterColon, inString }
}
