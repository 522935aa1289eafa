import { isBlank } from './letter-reader.ts'
import type { TextWindow } from './text-window.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** What a letter of base64 or base64url (RFC 4648) stands for, by its code; -1 for all else of ASCII. */
export const SEXTETS: Int8Array = new Int8Array(128).fill(-1)
for (let place = 0; place < 64; place++) SEXTETS[ALPHABET.charCodeAt(place)] = place
SEXTETS[0x2d] = 62
SEXTETS[0x5f] = 63

/** More letters in a row than these are not waited for. */
const MOST_LETTERS = 16
/** Bytes that an encoded text may have at its end, outside of the groups of four letters. */
const LAST_BYTES = 2
/** A longer run is not waited for, in UTF-16 units. */
const LONGEST_RUN = 256
/** White space may follow in an encoded text behind so many. */
const LETTERS_BEFORE_BLANK = 2

/** The same number in each of four bytes. */
const EACH = 0x01010101
const HIGH_BITS = 0x80808080

/**
 * Tells where letters stand for bytes of a text in a row, as base64. Of four letters, each may be the first of a group: there are
 * four phases, kept by how many letters of their group have been read.
 */
export class Base64Gate {
  /** Up to here the text is read. */
  place = 0
  /** Where the letters begin that may be an encoded text; -1 where there are none. */
  from = -1
  readonly #least: number
  #hasBlanks = false
  #previous = 0
  /** By phase, eight bits: how many letters there are in bytes of a text in a row. One may have several bytes, each of which counts. */
  #letters = 0
  /** By phase, a bit: whether the last is one of a character of several. */
  #isHigh = 0

  /** @param shortest How many letters a phrase has at least */
  constructor(shortest: number) {
    this.#least = Math.max(0, Math.min(MOST_LETTERS, shortest - LAST_BYTES))
  }

  /** Where the text begins that may become part of a leak. */
  get heldFrom(): number {
    if (this.from === -1) return Number.POSITIVE_INFINITY
    // A letter of the text may begin with the last letter read.
    return this.#letters === 0 && !this.#hasBlanks ? this.place - 1 : this.from
  }

  /** Reads on. Returns true where `from` may begin an encoded text; false where all is read. */
  read({ units, start, end }: TextWindow): boolean {
    const rest = (0x80 - this.#least) * EACH
    const stop = end - start
    for (let index = this.place - start; index < stop; index++) {
      const unit = units[index] as number
      const sextet = unit < 128 ? (SEXTETS[unit] as number) : -1
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
        const mayGoOn = ((this.#letters + (0x80 - LETTERS_BEFORE_BLANK) * EACH) & HIGH_BITS) !== 0
        if (!mayGoOn || !isBlank(unit) || unit === NO_BREAK_SPACE) this.from = -1
        else this.#hasBlanks = true
      }
    }
    this.place = end
    return this.from !== -1 && end - this.from > LONGEST_RUN
  }

  /** Reads on from a place, before which no encoded text goes on. */
  restart(place: number): void {
    this.place = place
    this.from = -1
  }

  #begin(place: number): void {
    this.from = place
    this.#hasBlanks = false
    this.#letters = 0
    this.#isHigh = 0
  }

  /** One letter more: of three phases, a byte is complete. */
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

/** The bit of the phase whose group begins with the letter: no byte of it is complete. */
const FIRST = 0b0010

/** By phases whose byte belongs to a text: which letters in a row are kept, and where one is added. */
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
 * By byte, as one of UTF-8 (see `Utf8Reader`), a bit in each of four groups of four: whether it is one of a text; whether it is where
 * it continues a character; whether it is one of a character of several; whether it counts as a letter.
 */
const BYTES = new Uint16Array(256).map((_, byte) => {
  if (byte >= 0x80 && byte < 0xc0) return 0x1110
  if (byte >= 0xc2 && byte < 0xf5) return 0x1101
  if (byte < 0x80 && /[a-z\d]/i.test(String.fromCharCode(byte))) return 0x1001
  return byte === 0 || (byte >= 9 && byte <= 13) || (byte >= 0x20 && byte < 0x7f) ? 1 : 0
})
