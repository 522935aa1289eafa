import { LetterReader } from './letter-reader.ts'
import type { PhraseCursor } from './phrase-cursor.ts'
import { Utf8Reader } from './utf8-reader.ts'

/** Matches one decoding of a text against an index. */
export class DecodedText {
  readonly #cursor: PhraseCursor
  readonly #letters: LetterReader
  readonly #bytes: Utf8Reader
  /** Whether nothing has been read since the last {@link end}. */
  #isNew = true

  constructor(cursor: PhraseCursor) {
    this.#cursor = cursor
    this.#letters = new LetterReader(cursor)
    this.#bytes = new Utf8Reader((codePoint, start, end) => this.#letters.read(codePoint, start, end))
  }

  /** The length of the current match with the index, in letters. */
  get matched(): number {
    return this.#isNew ? 0 : this.#cursor.length
  }

  get heldFrom(): number {
    if (this.#isNew) return Number.POSITIVE_INFINITY
    return Math.min(this.#cursor.heldFrom, this.#letters.heldFrom, this.#bytes.heldFrom)
  }

  character(codePoint: number, start: number, end: number): void {
    this.#isNew = false
    this.#letters.read(codePoint, start, end)
  }

  byte(value: number, start: number, end: number): void {
    if (this.#bytes.byte(value, start, end)) this.#isNew = false
    else this.end()
  }

  /** Ends the text: the next character does not continue the current match. */
  end(): void {
    if (this.#isNew) return
    this.#isNew = true
    this.#bytes.end()
    this.#letters.end()
    this.#cursor.reset()
  }
}
