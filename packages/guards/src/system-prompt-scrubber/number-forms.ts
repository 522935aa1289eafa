import { DigitReader } from './digit-reader.ts'
import type { FormReader } from './form-reader.ts'
import { NumberReader } from './number-reader.ts'
import type { PhraseCursor } from './phrase-cursor.ts'

/**
 * Reads texts written as numbers, in all supported bases. Such a text begins with a decimal digit: the hexadecimal
 * codes of ASCII do as well.
 */
export class NumberForms implements FormReader {
  readonly #readers: readonly (DigitReader | NumberReader)[]
  #isActive = false

  /** @param cursor Creates a cursor for a decoded text, with the name of the encoding */
  constructor(cursor: (form: string) => PhraseCursor) {
    this.#readers = [
      new DigitReader(16, () => cursor('hexadecimal')),
      new DigitReader(2, () => cursor('binary')),
      new NumberReader(2, () => cursor('binary')),
      new NumberReader(8, () => cursor('octal')),
      new NumberReader(10, () => cursor('decimal')),
    ]
  }

  get heldFrom(): number {
    let held = Number.POSITIVE_INFINITY
    if (!this.#isActive) return held
    for (const { heldFrom } of this.#readers) if (heldFrom < held) held = heldFrom
    return held
  }

  read(codePoint: number, start: number, end: number): void {
    // Fast path: most text has no numbers.
    if (!this.#isActive && (codePoint < 0x30 || codePoint > 0x39)) return
    let isActive = false
    for (const each of this.#readers) {
      each.read(codePoint, start, end)
      isActive ||= each.isActive
    }
    this.#isActive = isActive
  }

  end(): void {
    if (!this.#isActive) return
    for (const each of this.#readers) each.end()
    this.#isActive = false
  }
}
