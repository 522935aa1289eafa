import { DigitReader } from './digit-reader.ts'
import type { FormReader } from './form-reader.ts'
import { NumberReader } from './number-reader.ts'
import type { PhraseCursor } from './phrase-cursor.ts'

/** Reads a text written in numbers, of all kinds. It begins with a decimal digit, also the hexadecimal of ASCII. */
export class NumberForms implements FormReader {
  readonly #readers: readonly (DigitReader | NumberReader)[]
  #isActive = false

  /** @param cursor Makes a cursor for what is decoded, with the name of the form */
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
    // Most of a text has nothing to do with numbers.
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
