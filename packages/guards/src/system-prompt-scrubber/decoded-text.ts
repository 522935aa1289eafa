import { LetterReader } from './letter-reader.ts'
import type { PhraseCursor } from './phrase-cursor.ts'
import { Utf8Reader } from './utf8-reader.ts'

/** Matches one decoding of a text with an index. */
export class DecodedText {
  readonly #cursor: PhraseCursor
  readonly #letters: LetterReader
  readonly #bytes: Utf8Reader

  constructor(cursor: PhraseCursor) {
    this.#cursor = cursor
    this.#letters = new LetterReader(cursor)
    this.#bytes = new Utf8Reader((codePoint, start, end) => this.#letters.read(codePoint, start, end))
  }

  /** The length of the current match with the index, in letters. */
  get matched(): number {
    return this.#cursor.length
  }

  get heldFrom(): number {
    return Math.min(this.#cursor.heldFrom, this.#letters.heldFrom, this.#bytes.heldFrom)
  }

  character(codePoint: number, start: number, end: number): void {
    this.#letters.read(codePoint, start, end)
  }

  byte(value: number, start: number, end: number): void {
    if (!this.#bytes.byte(value, start, end)) this.end()
  }

  /** Ends the text: what follows does not continue the current match. */
  end(): void {
    this.#bytes.end()
    this.#letters.end()
    this.#cursor.reset()
  }
}
