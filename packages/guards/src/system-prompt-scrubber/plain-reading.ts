import type { LetterSink } from './letter-reader.ts'
import type { PhraseCursor } from './phrase-cursor.ts'

/**
 * Reads a text twice: with signs as gaps, and with signs as the letters they look like, such as `$` for `s`. The second
 * reading starts at the first sign, and ends when it matches no more of the index than the first.
 */
export class PlainReading implements LetterSink {
  readonly #plain: PhraseCursor
  readonly #leet: PhraseCursor
  #isLeet = false
  /** Whether the last character was a sign: the gap that follows is then not a word boundary. */
  #afterSign = false
  #afterGapOfSign = false

  /** @param cursor Creates a cursor. Called twice. */
  constructor(cursor: () => PhraseCursor) {
    this.#plain = cursor()
    this.#leet = cursor()
  }

  get heldFrom(): number {
    const { heldFrom } = this.#plain
    return this.#isLeet ? Math.min(heldFrom, this.#leet.heldFrom) : heldFrom
  }

  letter(letter: number, start: number, end: number, afterGap: boolean): void {
    this.#plain.letter(letter, start, end, afterGap)
    if (!this.#isLeet) return
    this.#leet.letter(letter, start, end, afterGap && !this.#isWithinWord)
    this.#afterSign = this.#afterGapOfSign = false
    if (this.#leet.length > this.#plain.length) return
    this.#leet.reset()
    this.#isLeet = false
  }

  sign(letter: number, start: number, end: number, afterGap: boolean): void {
    if (!this.#isLeet) this.#leet.become(this.#plain)
    this.#isLeet = true
    this.#leet.letter(letter, start, end, afterGap && !this.#isWithinWord)
    this.#afterSign = true
    this.#afterGapOfSign = false
  }

  gap(): void {
    this.#plain.gap()
    if (!this.#isLeet) return
    if (!this.#afterSign) this.#leet.gap()
    this.#afterGapOfSign = this.#afterSign
    this.#afterSign = false
  }

  reset(): void {
    this.#plain.reset()
    this.#leet.reset()
    this.#isLeet = this.#afterSign = this.#afterGapOfSign = false
  }

  get #isWithinWord(): boolean {
    return this.#afterSign || this.#afterGapOfSign
  }
}
