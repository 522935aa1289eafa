import { Base64Tail } from './base64-tail.ts'
import { isBlank } from './letter-reader.ts'
import type { PhraseIndex } from './phrase-index.ts'
import { sextetOf } from './sextet.ts'
import type { TextWindow } from './text-window.ts'

/** The maximum number of consecutive letters that the gate requires. */
const MOST_LETTERS = 16
/** The maximum number of bytes in the last, incomplete group of an encoded text. */
const LAST_BYTES = 2
/** A candidate longer than this passes the gate unchecked, in UTF-16 units. */
const LONGEST_RUN = 256
/** The minimum number of decoded letters before white space may occur within an encoded text. */
const LETTERS_BEFORE_BLANK = 2

/** Multiplied by a byte, repeats it in all four bytes of a 32-bit number. */
const EACH = 0x01010101
const HIGH_BITS = 0x80808080

/**
 * A prefilter for base64: finds candidates that decode to enough consecutive letters. A base64 group has four
 * characters, and the encoded text may begin at any offset, so all four offsets (phases) are decoded at once. The state
 * of the four phases is packed into one number and rotates with each character: a phase is identified by how many
 * characters of its current group have been read.
 */
export class Base64Gate {
  /** The position up to which the text is read. */
  place = 0
  /** The start of the current candidate; -1 if there is none. */
  from = -1
  readonly #least: number
  readonly #index: PhraseIndex
  /** Created with the first candidate that white space follows. */
  #tail: Base64Tail | undefined
  #hasBlanks = false
  #previous = 0
  /** Eight bits per phase: the number of consecutive decoded letters. Each byte of a multi-byte character counts. */
  #letters = 0
  /** One bit per phase: whether the last decoded byte belongs to a multi-byte character. */
  #isHigh = 0

  constructor(index: PhraseIndex) {
    this.#least = Math.max(0, Math.min(MOST_LETTERS, index.shortest - LAST_BYTES))
    this.#index = index
  }

  /** The start of the text that may become part of a leak. */
  get heldFrom(): number {
    if (this.from === -1) return Number.POSITIVE_INFINITY
    // The last character read may be the first one of an encoded text.
    return this.#letters === 0 && !this.#hasBlanks ? this.place - 1 : this.from
  }

  /** Reads the new text. Returns true if an encoded text may begin at `from`, and false at the end of the window. */
  read({ units, start, end }: TextWindow): boolean {
    const rest = (0x80 - this.#least) * EACH
    const stop = end - start
    for (let index = this.place - start; index < stop; index++) {
      const unit = units[index] as number
      const sextet = sextetOf(unit)
      if (sextet !== -1) {
        if (this.from === -1) this.#begin(start + index)
        else this.#pair(this.#previous, sextet)
        this.#previous = sextet
        const isLong = start + index - this.from > LONGEST_RUN
        if (isLong || ((this.#letters + rest) & HIGH_BITS) !== 0) {
          this.place = start + index + 1
          return true
        }
      } else if (this.from !== -1) {
        const isSpace = isBlank(unit) && unit !== NO_BREAK_SPACE
        if (!isSpace || !this.#mayGoOn(units, this.from - start, index)) this.from = -1
        else this.#hasBlanks = true
      }
    }
    this.place = end
    return this.from !== -1 && end - this.from > LONGEST_RUN
  }

  /** Continues at a position, without a candidate. */
  restart(place: number): void {
    this.place = place
    this.from = -1
  }

  /** Whether white space may follow: at one of the offsets, the last letters are in the index. */
  #mayGoOn(units: Uint16Array, from: number, to: number): boolean {
    const enough = (this.#letters + (0x80 - LETTERS_BEFORE_BLANK) * EACH) & HIGH_BITS
    if (enough === 0) return false
    this.#tail ??= new Base64Tail(this.#index)
    this.#tail.read(units, from, to)
    for (let phase = 0; phase < 4; phase++) {
      const hasLetters = ((enough >>> (8 * phase)) & 0x80) !== 0
      if (hasLetters && this.#tail.mayMatch(LETTERS_BEFORE_BLANK, phase)) return true
    }
    return false
  }

  #begin(place: number): void {
    this.from = place
    this.#hasBlanks = false
    this.#letters = 0
    this.#isHigh = 0
  }

  /** Adds a character: it completes a byte in three of the four phases. */
  #pair(first: number, second: number): void {
    const pair =
      ((BYTES[(first << 2) | (second >> 4)] as number) << 2) |
      ((BYTES[((first & 15) << 4) | (second >> 2)] as number) << 3) |
      (BYTES[((first & 3) << 6) | second] as number)
    const before = ((this.#isHigh << 1) | (this.#isHigh >>> 3)) & 15
    const isText = (pair | ((pair >>> 4) & before) | FIRST) & 15
    this.#isHigh = ((pair >>> 8) & isText) | (before & FIRST)
    const letters = (this.#letters << 8) | (this.#letters >>> 24)
    this.#letters = ((letters & (KEPT[isText] as number)) + (ADDED[(pair >>> 12) & isText] as number)) | 0
  }
}

const NO_BREAK_SPACE = 0xa0

/** The bit of the phase in which the character is the first of a group, so that it completes no byte. */
const FIRST = 0b0010

/** By the set of phases whose byte is text: a mask of the counts that are kept, and the increment of each count. */
const KEPT = new Int32Array(16)
const ADDED = new Int32Array(16)
for (let phases = 0; phases < 16; phases++) {
  for (let phase = 0; phase < 4; phase++) {
    if (((phases >> phase) & 1) === 0) continue
    KEPT[phases] = (KEPT[phases] as number) | (0xff << (8 * phase))
    if (1 << phase !== FIRST) ADDED[phases] = (ADDED[phases] as number) | (1 << (8 * phase))
  }
}

/**
 * The properties of each byte in UTF-8 (see `Utf8Reader`), one per group of four bits, from the lowest: whether it can
 * occur in text; whether it can follow a byte of a multi-byte character; whether it belongs to a multi-byte character;
 * whether it counts as a letter.
 */
const BYTES = new Uint16Array(256).map((_, byte) => {
  if (byte >= 0x80 && byte < 0xc0) return 0x1110
  if (byte >= 0xc2 && byte < 0xf5) return 0x1101
  if (byte < 0x80 && /[a-z\d]/i.test(String.fromCharCode(byte))) return 0x1001
  return byte === 0 || (byte >= 9 && byte <= 13) || (byte >= 0x20 && byte < 0x7f) ? 1 : 0
})
