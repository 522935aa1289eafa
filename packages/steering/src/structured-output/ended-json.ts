/** Deeper values take long to collect as garbage. */
const MOST_OPEN = 1_000

/**
 * JSON that breaks off, ended: without what it breaks off in, where that may go on (a number, a word, a name without its
 * value), and with all brackets closed. A string that is not finished stays, as far as it goes. `undefined` for a text with so many
 * open brackets that it is none.
 */
export function endedJson(text: string): string | undefined {
  const { open, start, boundary, afterColon, inString } = scanOf(text)
  const container = open.at(-1)
  if (container === undefined) return text
  if (open.length > MOST_OPEN) return undefined
  const isMember = container === '[' || afterColon
  const tail = text.slice(start).trim()
  const isValue = inString || (tail === '' ? start === boundary : /["}\]]$/.test(tail))
  const kept = isMember && isValue ? (inString ? endedString(text) : text) : text.slice(0, boundary)
  const closers = open.toReversed().map((bracket) => (bracket === '{' ? '}' : ']'))
  return kept.replace(/,\s*$/, '') + closers.join('')
}

/** Without an escape that is not whole. */
function endedString(text: string): string {
  const start = escapeAtEnd(text)
  return `${start === -1 ? text : text.slice(0, start)}"`
}

/** Where an escape begins that the text breaks off in, or -1. */
function escapeAtEnd(text: string): number {
  const start = text.lastIndexOf('\\')
  if (start === -1 || !/^\\(?:u[\da-f]{0,3})?$/i.test(text.slice(start, start + 7))) return -1
  let first = start
  while (text[first - 1] === '\\') first--
  // Of an even number of backslashes the last is escaped itself.
  return (start - first) % 2 === 0 ? start : -1
}

interface Scan {
  /** The brackets that are not closed. */
  readonly open: readonly string[]
  /** Behind the last bracket that opens, comma or colon. */
  readonly start: number
  /** Where the last member ends that is complete. */
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
    if (open.length > MOST_OPEN) break
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
        // What has just ended is a complete member of what is around it.
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
