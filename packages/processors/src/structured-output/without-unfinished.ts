/**
 * JSON that breaks off, without what it breaks off in: a number or word that may go on, a name without its value. A
 * string that is not finished stays, as far as it goes.
 */
export function withoutUnfinished(text: string): string {
  const scan = scanOf(text)
  if (scan === undefined) return text
  const { tail, isObject, afterColon, inString, boundary } = scan
  if (inString) return isObject && !afterColon ? text.slice(0, boundary) : text
  const isValueComplete = tail === '' ? false : /["}\]]$/.test(tail)
  if (tail === '' && !afterColon) return text
  if (isObject && !afterColon) return text.slice(0, boundary)
  return isValueComplete ? text : text.slice(0, boundary)
}

interface Scan {
  /** What comes behind the last bracket that opens, comma or colon. */
  readonly tail: string
  readonly isObject: boolean
  readonly afterColon: boolean
  readonly inString: boolean
  /** Where the last member ends that is complete. */
  readonly boundary: number
}

function scanOf(text: string): Scan | undefined {
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
        // The value that has just ended is one of what is around it, and complete.
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
  const container = open.at(-1)
  if (container === undefined) return undefined
  return { tail: text.slice(start).trim(), isObject: container === '{', afterColon, inString, boundary }
}
