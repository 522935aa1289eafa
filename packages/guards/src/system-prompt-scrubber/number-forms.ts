import { DigitReader } from './digit-reader.ts'
import type { FormReader } from './form-reader.ts'
import { NumberReader } from './number-reader.ts'
import type { PhraseCursor } from './phrase-cursor.ts'
import type { TextWindow } from './text-window.ts'

/** The block size, in UTF-16 units. A block without digits is skipped if no reader is active. */
const STEP = 128

/**
 * Reads texts written as numbers, in all supported bases. Such a text begins with a decimal digit, also in hexadecimal:
 * the first digit of an ASCII code is 0 to 7.
 */
export class NumberForms implements FormReader {
  readonly #readers: readonly (DigitReader | NumberReader)[]
  #isActive = false
  readonly keptFrom: number = Number.POSITIVE_INFINITY
  /** The position up to which the text is read. */
  #place = 0

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
    for (const each of this.#readers) if (each.isActive) held = Math.min(held, each.heldFrom)
    return held
  }

  read(text: TextWindow): void {
    while (this.#place < text.end) {
      const end = Math.min(text.end, this.#place + STEP)
      const digit = nextDigit(text, this.#place, end)
      // Fast path: most text has no numbers.
      if (this.#isActive || digit < end) {
        this.#isActive = false
        for (const each of this.#readers) {
          const from = each.isActive ? this.#place : digit
          if (from === end) continue
          each.read(text, from, end)
          this.#isActive ||= each.isActive
        }
      }
      this.#place = end
    }
    if (!text.isFinal || !this.#isActive) return
    text.at = text.end
    for (const each of this.#readers) each.end()
  }
}

function nextDigit({ units, start }: TextWindow, from: number, to: number): number {
  const stop = to - start
  let index = from - start
  while (index < stop) {
    const unit = units[index] as number
    if (unit >= 0x30 && unit <= 0x39) break
    index++
  }
  return start + index
}
