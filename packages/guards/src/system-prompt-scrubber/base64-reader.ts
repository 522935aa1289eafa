import { Base64Gate } from './base64-gate.ts'
import { DecodedText } from './decoded-text.ts'
import type { FormReader } from './form-reader.ts'
import type { PhraseCursor } from './phrase-cursor.ts'
import type { PhraseIndex } from './phrase-index.ts'
import { sextetOf } from './sextet.ts'
import type { TextWindow } from './text-window.ts'

/** How many decoded letters must match for white space to be skipped within the encoded text. */
const LEAST_MATCHED = 2

/**
 * Reads a text as base64 or base64url (RFC 4648). The encoded part may begin anywhere, so the text is decoded at all
 * four offsets of a group. Only text that passes the prefilter ({@link Base64Gate}) is decoded.
 */
export class Base64Reader implements FormReader {
  readonly #gate: Base64Gate
  readonly #cursor: () => PhraseCursor
  /** Created when text is first decoded. */
  #phases: readonly DecodedText[] = []
  #isDecoding = false
  /** The position up to which the text is decoded. */
  #read = 0
  /** The last four characters of the encoded text, with their start positions, and the end of the last one. */
  readonly #sextets = [0, 0, 0, 0]
  readonly #starts = [0, 0, 0, 0]
  #lastEnd = 0
  #count = 0

  /**
   * @param index The phrases, for the prefilter
   * @param cursor Creates a cursor for a decoded text. Called four times
   */
  constructor(index: PhraseIndex, cursor: () => PhraseCursor) {
    this.#gate = new Base64Gate(index)
    this.#cursor = cursor
  }

  get heldFrom(): number {
    if (!this.#isDecoding) return this.#gate.heldFrom
    if (this.#count === 0) return Number.POSITIVE_INFINITY
    let held = this.#starts[Math.max(0, this.#count - 3) % 4] as number
    for (const { heldFrom } of this.#phases) if (heldFrom < held) held = heldFrom
    return held
  }

  get keptFrom(): number {
    return this.#isDecoding || this.#gate.from === -1 ? Number.POSITIVE_INFINITY : this.#gate.from
  }

  read(text: TextWindow): void {
    for (;;) {
      if (!this.#isDecoding) {
        if (!this.#gate.read(text)) return
        if (this.#phases.length === 0) {
          this.#phases = [0, 1, 2, 3].map(() => new DecodedText(this.#cursor()))
        }
        this.#isDecoding = true
        this.#read = this.#gate.from
      }
      this.#decodeUpTo(text)
      if (this.#isDecoding) {
        if (!text.isFinal) return
        text.at = text.end
        this.#end()
        this.#isDecoding = false
      }
      this.#gate.restart(this.#read)
    }
  }

  /** Decodes up to the end of the window, or to the end of the encoded text if the gate has read no further. */
  #decodeUpTo(window: TextWindow): void {
    const { units, start, end } = window
    while (this.#read < end) {
      const place = this.#read++
      const unit = units[place - start] as number
      const sextet = sextetOf(unit)
      window.at = place + 1
      if (sextet === -1 && this.#count === 0) continue
      if (sextet === -1) {
        const isBlank = unit === 0x20 || (unit >= 9 && unit <= 13)
        if (isBlank && this.#phases.some(({ matched }) => matched >= LEAST_MATCHED)) continue
        this.#end()
        if (this.#read < this.#gate.place) continue
        this.#isDecoding = false
        return
      }
      this.#sextets[this.#count % 4] = sextet
      this.#starts[this.#count % 4] = place
      this.#lastEnd = place + 1
      this.#count++
      if (this.#count >= 4) this.#decode(this.#count % 4, 4)
    }
  }

  /** Ends the encoded text. */
  #end(): void {
    const count = this.#count
    for (let phase = 0; phase < 4; phase++) {
      const left = (count - phase) & 3
      if (count >= phase && left >= 2) this.#decode(phase, left)
      this.#phases[phase]?.end()
    }
    this.#count = 0
  }

  /** Decodes the last `length` characters, which are the first ones of a group. */
  #decode(phase: number, length: number): void {
    const first = this.#count - length
    const decoded = this.#phases[phase] as DecodedText
    for (let byte = 0; byte < length - 1; byte++) {
      const high = this.#sextets[(first + byte) % 4] as number
      const low = this.#sextets[(first + byte + 1) % 4] as number
      const value = ((high << (2 + 2 * byte)) | (low >> (4 - 2 * byte))) & 0xff
      const start = this.#starts[(first + byte) % 4] as number
      const end = byte + 2 < length ? (this.#starts[(first + byte + 2) % 4] as number) : this.#lastEnd
      decoded.byte(value, start, end)
    }
  }
}
