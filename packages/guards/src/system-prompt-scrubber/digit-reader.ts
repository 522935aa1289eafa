import { DecodedText } from './decoded-text.ts'
import type { PhraseCursor } from './phrase-cursor.ts'
import { isSecondHalf, type TextWindow } from './text-window.ts'

/** The size of the ring buffer of digits: more than the digits of a byte. A power of two. */
const KEPT = 16

/** The maximum number of characters between two digits of one text: `, \x`, or a line break with indentation. */
const LONGEST_GAP = 8

/** A text may begin with one of the digits a to f only if a decimal digit is at most this many characters before it. */
const FURTHEST = 17

const ZERO = 0x30
const NINE = 0x39
const X = 0x78

/**
 * Reads the bytes of a text written in hexadecimal or binary digits, with or without spaces, commas and prefixes. The
 * encoded part may begin anywhere, so a byte may begin at any digit.
 */
export class DigitReader {
  readonly #radix: 2 | 16
  readonly #cursor: () => PhraseCursor
  readonly #digitsPerByte: number
  /**
   * One decoding per offset: the number of digits before the first byte, modulo the digits of a byte. Created when a
   * digit is first read: most texts have few.
   */
  #phases: readonly DecodedText[] | undefined
  readonly #digits = new Uint8Array(KEPT)
  readonly #starts = new Float64Array(KEPT)
  #count = 0
  #gap = 0
  #previous = 0
  /** The position of the last decimal digit. */
  #decimal = Number.NEGATIVE_INFINITY
  /** The position up to which the text is read. */
  #read = 0

  /** @param cursor Creates a cursor for a decoded text */
  constructor(radix: 2 | 16, cursor: () => PhraseCursor) {
    this.#radix = radix
    this.#cursor = cursor
    this.#digitsPerByte = radix === 2 ? 8 : 2
  }

  /** Whether the next character may continue the current text. */
  get isActive(): boolean {
    return this.#count > 0 || (this.#radix === 16 && this.#read - this.#decimal <= FURTHEST)
  }

  get heldFrom(): number {
    if (!this.#phases || this.#count === 0) return Number.POSITIVE_INFINITY
    let held = this.#starts[Math.max(0, this.#count - this.#digitsPerByte + 1) % KEPT] as number
    for (const { heldFrom } of this.#phases) if (heldFrom < held) held = heldFrom
    return held
  }

  /** Reads the text between two positions. */
  read(window: TextWindow, from: number, to: number): void {
    const { units, start } = window
    for (let index = from - start; index < to - start; index++) {
      const unit = units[index] as number
      const digit = unit < 128 ? (HEX_DIGITS[unit] as number) : -1
      if (digit >= 0 && digit < this.#radix) {
        if (this.#count > 0 || unit <= NINE || start + index - this.#decimal <= FURTHEST) {
          window.at = start + index + 1
          this.#digit(digit, start + index)
        }
      } else if (this.#count > 0 && !isSecondHalf(units, index)) {
        window.at = start + index + 1
        this.#other(unit)
      }
      if (unit >= ZERO && unit <= NINE) this.#decimal = start + index
      this.#previous = unit
    }
    this.#read = to
  }

  end(): void {
    if (this.#count === 0) return
    for (const each of this.#phases ?? []) each.end()
    this.#count = 0
    this.#gap = 0
  }

  #digit(digit: number, start: number): void {
    this.#phases ??= Array.from({ length: this.#digitsPerByte }, () => new DecodedText(this.#cursor()))
    const perByte = this.#digitsPerByte
    this.#gap = 0
    this.#digits[this.#count % KEPT] = digit
    this.#starts[this.#count % KEPT] = start
    this.#count++
    if (this.#count < perByte) return
    let value = 0
    for (let place = this.#count - perByte; place < this.#count; place++) {
      value = value * this.#radix + (this.#digits[place % KEPT] as number)
    }
    const first = this.#starts[(this.#count - perByte) % KEPT] as number
    this.#phases[this.#count % perByte]?.byte(value, first, start + 1)
  }

  #other(codePoint: number): void {
    // The zero of `0x` is not a digit of the text. If it completed a byte, that byte is in another phase than the bytes
    // before it.
    const isPrefix = (codePoint | 0x20) === X && this.#previous === ZERO && this.#gap === 0
    if (isPrefix) this.#count--
    if (++this.#gap > LONGEST_GAP) this.end()
  }
}

const HEX_DIGITS = new Int8Array(128).fill(-1)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  HEX_DIGITS[digit.charCodeAt(0)] = value
  HEX_DIGITS[digit.toUpperCase().charCodeAt(0)] = value
}
