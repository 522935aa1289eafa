import { DecodedText } from './decoded-text.ts'
import type { PhraseCursor } from './phrase-cursor.ts'
import { isSecondHalf, type TextWindow } from './text-window.ts'

/** The maximum number of digits of a character's number, by radix. */
const MOST_DIGITS = { 2: 8, 8: 4, 10: 7 } as const

/** The maximum number of characters between two numbers of one text: `) + chr(`, or a line break with indentation. */
const LONGEST_GAP = 16

/** Reads consecutive numbers as code points: `72 101 108`, `\110\145\154`, `1001000 1100101`. */
export class NumberReader {
  readonly #radix: keyof typeof MOST_DIGITS
  readonly #cursor: () => PhraseCursor
  /** Created with the first number: most texts have few. */
  #decoded: DecodedText | undefined
  /** The current number. */
  #value = 0
  #digits = 0
  #start = 0
  #end = 0
  /** The number of characters since the last number; -1 before the first. */
  #gap = -1

  constructor(radix: keyof typeof MOST_DIGITS, cursor: () => PhraseCursor) {
    this.#radix = radix
    this.#cursor = cursor
  }

  /** Whether the next character may continue the current text. */
  get isActive(): boolean {
    return this.#digits > 0 || this.#gap >= 0
  }

  get heldFrom(): number {
    const held = this.#decoded?.heldFrom ?? Number.POSITIVE_INFINITY
    return this.#digits > 0 ? Math.min(held, this.#start) : held
  }

  /** Reads the text between two positions. */
  read(window: TextWindow, from: number, to: number): void {
    const { units, start } = window
    for (let index = from - start; index < to - start; index++) {
      const digit = (units[index] as number) - 0x30
      if (digit >= 0 && digit < this.#radix) {
        if (this.#digits === 0) this.#start = start + index
        this.#digits++
        // A longer number is not a character, whatever its value is.
        if (this.#digits <= MOST_DIGITS[this.#radix]) this.#value = this.#value * this.#radix + digit
        this.#end = start + index + 1
      } else if (this.#digits > 0) {
        window.at = start + index + 1
        this.#finish()
        this.#gap = 1
      } else if (this.#gap >= 0 && !isSecondHalf(units, index) && ++this.#gap > LONGEST_GAP) {
        window.at = start + index + 1
        this.#stop()
      }
    }
  }

  end(): void {
    if (this.#digits > 0) this.#finish()
    this.#stop()
  }

  #finish(): void {
    const isCharacter = this.#digits <= MOST_DIGITS[this.#radix] && this.#value <= 0x10ffff
    this.#decoded ??= new DecodedText(this.#cursor())
    if (isCharacter) this.#decoded.character(this.#value, this.#start, this.#end)
    else this.#decoded.end()
    this.#value = 0
    this.#digits = 0
  }

  #stop(): void {
    this.#decoded?.end()
    this.#gap = -1
  }
}
