/** Replaces code: a character that ends every reference and begins none. */
const BLANK = '`'

/** The number of UTF-16 units processed at once. A code span cannot be longer. */
const SLICE = 65_536

/**
 * Replaces fenced and indented code, code spans, quotations and link definitions in a Markdown text by blanks
 * of the same length. Follows the rules of CommonMark that matter here.
 */
export function withoutCode(text: string): string {
  const blanking = blankCode(text)
  for (;;) {
    const { done, value } = blanking.next()
    if (done) return value
  }
}

/** The same, in slices that yield to the event loop. */
export async function withoutCodeInSlices(text: string): Promise<string> {
  const blanking = blankCode(text)
  for (;;) {
    const { done, value } = blanking.next()
    if (done) return value
    await new Promise((resolve) => setTimeout(resolve))
  }
}

/** Yields after each slice. */
function* blankCode(text: string): Generator<undefined, string> {
  const left: string[] = []
  let paragraph: string[] = []
  let paragraphLength = 0
  let sliceLength = 0
  let fence: string | undefined
  let isAfterBlank = true
  const endParagraph = (): void => {
    if (paragraph.length > 0) left.push(withoutCodeSpans(paragraph.join('\n')))
    paragraph = []
    paragraphLength = 0
  }
  for (const line of text.split('\n')) {
    sliceLength += line.length + 8
    if (sliceLength > SLICE) {
      sliceLength = 0
      yield
    }
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined
      left.push(blank(line))
      isAfterBlank = true
      continue
    }
    const isBlank = line.trim() === ''
    fence = FENCE.exec(line)?.[1]
    const isOmitted = fence !== undefined || QUOTE.test(line) || DEFINITION.test(line)
    if (isBlank || isOmitted || (isAfterBlank && INDENTED.test(line))) {
      endParagraph()
      left.push(blank(line))
      isAfterBlank ||= isBlank
      continue
    }
    isAfterBlank = false
    if (paragraphLength + line.length > SLICE) endParagraph()
    if (line.length > SLICE) {
      const pieces: string[] = []
      for (let start = 0; start < line.length; start += SLICE) {
        pieces.push(withoutCodeSpans(line.slice(start, start + SLICE)))
        yield
      }
      left.push(pieces.join(''))
      continue
    }
    paragraph.push(line)
    paragraphLength += line.length
  }
  endParagraph()
  return left.join('\n')
}

const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const QUOTE = /^ {0,3}>/
const DEFINITION = /^ {0,3}\[[^\]]{1,999}\]:/
/** Indented code, unless it is an item of a nested list. */
const INDENTED = /^(?: {4}|\t)\s*(?![-*+]\s|\d{1,9}[.)]\s)/

function closes(line: string, fence: string): boolean {
  const run = line.trim()
  return run.length >= fence.length && run === fence.charAt(0).repeat(run.length) && !/^ {4}/.test(line)
}

function blank(line: string): string {
  return BLANK.repeat(line.length)
}

/** Replaces code between runs of equally many backticks. */
function withoutCodeSpans(text: string): string {
  const runs = [...text.matchAll(/`+/g)]
  const byLength = new Map<number, number[]>()
  for (const [{ length }, index] of runs.map((run) => [run[0], run.index] as const)) {
    const places = byLength.get(length)
    if (places) places.push(index)
    else byLength.set(length, [index])
  }
  for (const places of byLength.values()) places.reverse()
  let left = ''
  let end = 0
  for (const { 0: run, index } of runs) {
    if (index < end) continue
    const places = byLength.get(run.length) as number[]
    // The list ends with the nearest run. Each run is taken once.
    while (places.length > 0 && (places.at(-1) as number) <= index) places.pop()
    const close = places.at(-1)
    if (close === undefined) continue
    left += text.slice(end, index) + BLANK.repeat(close + run.length - index)
    end = close + run.length
  }
  return left + text.slice(end)
}
