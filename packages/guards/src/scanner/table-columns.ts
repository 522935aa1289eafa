import { CONTEXT_WINDOW } from './recognizer.ts'

/** Separators of cells. If a line has several, the first in this list is used. */
const SEPARATORS = ['\t', '|', ';', ',']

/** A longer line is not a table header, in UTF-16 units. */
const LONGEST_HEAD = 512
const LONGEST_NAME = 40

interface Head {
  readonly separator: string
  readonly names: readonly string[]
}

/**
 * Tracks the table that the text may be in the middle of, such as CSV or Markdown: a line of short names, directly
 * followed by lines with the same separator. Reads each character once. Positions are relative to the buffer of the
 * scan.
 */
export class TableColumns {
  /** Everything before this position is read. */
  #read = 0
  /** The end of the current line; undefined if it is not searched yet, infinite if it has not arrived yet. */
  #break: number | undefined
  /** The beginning of the current line, as long as it may be a header. */
  #line = ''
  #head: Head | undefined
  /** The number of separators of the current row, before `#read`. */
  #separators = 0

  /** The name of the column of a value that begins at `place`; undefined if it is in none. */
  nameAt(buffer: string, place: number): string | undefined {
    // Skips quotation marks and spaces before the value.
    let start = place - 1
    while (start >= 0 && place - start <= CONTEXT_WINDOW && ' "\''.includes(buffer.charAt(start))) start--
    // A longer run of them may not be in the buffer completely.
    if (place - start > CONTEXT_WINDOW) return undefined
    const edge = start < 0 ? '\n' : buffer.charAt(start)
    if (edge !== '\n' && !SEPARATORS.includes(edge)) return undefined
    this.readTo(buffer, place)
    if (this.#head === undefined) return undefined
    const isFirst = this.#separators === 0 && edge === '\n'
    return isFirst || edge === this.#head.separator
      ? this.#head.names[this.#separators] || undefined
      : undefined
  }

  readTo(buffer: string, place: number): void {
    while (this.#read < place) {
      if (this.#break === undefined) {
        const found = buffer.indexOf('\n', this.#read)
        this.#break = found === -1 ? Number.POSITIVE_INFINITY : found
      }
      const end = Math.min(place, this.#break)
      if (this.#head) this.#separators += countOf(this.#head.separator, buffer, this.#read, end)
      else if (this.#line.length <= LONGEST_HEAD) {
        this.#line += buffer.slice(this.#read, Math.min(end, this.#read + LONGEST_HEAD + 1))
      }
      this.#read = end
      if (this.#read === this.#break && this.#read < place) this.#endLine()
    }
  }

  /** Must be called after text was added to the buffer. */
  grow(): void {
    if (this.#break === Number.POSITIVE_INFINITY) this.#break = undefined
  }

  /** The first `length` units, which are read, were removed from the buffer. */
  shift(length: number): void {
    this.#read -= length
    if (this.#break !== undefined) this.#break -= length
  }

  #endLine(): void {
    if (!this.#head) this.#head = headOf(this.#line)
    else if (this.#separators === 0) this.#head = undefined
    this.#line = ''
    this.#separators = 0
    this.#read++
    this.#break = undefined
  }
}

function headOf(line: string): Head | undefined {
  if (line.length > LONGEST_HEAD) return undefined
  const separator = SEPARATORS.find((each) => line.includes(each))
  if (separator === undefined || !hasShortNames(line, separator)) return undefined
  const names = line.split(separator).map((name) => name.trim().replace(/^(["'])(.*)\1$/, '$2'))
  return names.some((name) => /\p{L}/u.test(name)) ? { separator, names } : undefined
}

/** A quick test before the line is split: most lines are prose and fail here. */
function hasShortNames(line: string, separator: string): boolean {
  let length = 0
  let digits = 0
  for (let place = 0; place < line.length; place++) {
    const code = line.charCodeAt(place)
    length = code === separator.charCodeAt(0) ? 0 : length + 1
    digits = code >= 0x30 && code <= 0x39 ? digits + 1 : 0
    if (length > LONGEST_NAME || digits > 2) return false
  }
  return true
}

function countOf(separator: string, text: string, from: number, to: number): number {
  const unit = separator.charCodeAt(0)
  let count = 0
  for (let place = from; place < to; place++) if (text.charCodeAt(place) === unit) count++
  return count
}
