import { DecodedText } from './decoded-text.ts'
import type { FormReader } from './form-reader.ts'
import type { PhraseCursor } from './phrase-cursor.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const SEXTETS = new Int8Array(128).fill(-1)
for (let place = 0; place < 64; place++) SEXTETS[ALPHABET.charCodeAt(place)] = place
SEXTETS[0x2d] = 62
SEXTETS[0x5f] = 63

/** How many decoded letters must match for white space to be skipped within the encoded text. */
const LEAST_MATCHED = 2

/**
 * Reads a text as base64 or base64url (RFC 4648). The encoded part may begin anywhere, so the text is decoded at all
 * four offsets of a group.
 */
export class Base64Reader implements FormReader {
  readonly #phases: readonly DecodedText[]
  /** The last four letters of the encoded text, with their start positions, and the end of the last one. */
  readonly #sextets = [0, 0, 0, 0]
  readonly #starts = [0, 0, 0, 0]
  #end = 0
  #count = 0

  /** @param cursor Creates a cursor for a decoded text. Called four times. */
  constructor(cursor: () => PhraseCursor) {
    this.#phases = [0, 1, 2, 3].map(() => new DecodedText(cursor()))
  }

  get heldFrom(): number {
    if (this.#count === 0) return Number.POSITIVE_INFINITY
    let held = this.#starts[Math.max(0, this.#count - 3) % 4] as number
    for (const { heldFrom } of this.#phases) if (heldFrom < held) held = heldFrom
    return held
  }

  read(codePoint: number, start: number, end: number): void {
    const sextet = codePoint < 128 ? (SEXTETS[codePoint] as number) : -1
    if (sextet === -1) {
      const isBlank = codePoint === 0x20 || (codePoint >= 9 && codePoint <= 13)
      if (this.#count > 0 && !(isBlank && this.#phases.some(({ matched }) => matched >= LEAST_MATCHED))) {
        this.end()
      }
      return
    }
    this.#sextets[this.#count % 4] = sextet
    this.#starts[this.#count % 4] = start
    this.#end = end
    this.#count++
    if (this.#count >= 4) this.#decode(this.#count % 4, 4)
  }

  /** The encoded text ends here. */
  end(): void {
    const count = this.#count
    for (let phase = 0; phase < 4; phase++) {
      const left = (count - phase) & 3
      if (count >= phase && left >= 2) this.#decode(phase, left)
      this.#phases[phase]?.end()
    }
    this.#count = 0
  }

  /** Decodes the last `length` letters, which are the beginning of a group. */
  #decode(phase: number, length: number): void {
    const first = this.#count - length
    const decoded = this.#phases[phase] as DecodedText
    for (let byte = 0; byte < length - 1; byte++) {
      const high = this.#sextets[(first + byte) % 4] as number
      const low = this.#sextets[(first + byte + 1) % 4] as number
      const value = ((high << (2 + 2 * byte)) | (low >> (4 - 2 * byte))) & 0xff
      const start = this.#starts[(first + byte) % 4] as number
      const end = byte + 2 < length ? (this.#starts[(first + byte + 2) % 4] as number) : this.#end
      decoded.byte(value, start, end)
    }
  }
}
