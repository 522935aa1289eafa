/** Called for each decoded character, with its position in the encoded text, in UTF-16 units. */
export type OnCharacter = (codePoint: number, start: number, end: number) => void

/** Decodes bytes as UTF-8 (RFC 3629). Invalid bytes are skipped. */
export class Utf8Reader {
  readonly #onCharacter: OnCharacter
  #codePoint = 0
  #start = 0
  /** The number of missing continuation bytes. */
  #missing = 0

  constructor(onCharacter: OnCharacter) {
    this.#onCharacter = onCharacter
  }

  /** The start of an incomplete character. */
  get heldFrom(): number {
    return this.#missing > 0 ? this.#start : Number.POSITIVE_INFINITY
  }

  /** Reads the next byte. Returns false for a byte that does not occur in text. */
  byte(value: number, start: number, end: number): boolean {
    if (this.#missing > 0 && (value & 0xc0) === 0x80) {
      this.#codePoint = (this.#codePoint << 6) | (value & 0x3f)
      this.#missing--
      if (this.#missing > 0) return true
      if (this.#codePoint > 0x10ffff) return false
      this.#onCharacter(this.#codePoint, this.#start, end)
      return true
    }
    this.#missing = 0
    if (value < 0x80) {
      // Zeros are the high bytes of UTF-16.
      if (value === 0) return true
      if (value === 0x7f || (value < 0x20 && (value < 9 || value > 13))) return false
      this.#onCharacter(value, start, end)
      return true
    }
    if (value < 0xc2 || value >= 0xf5) return false
    this.#missing = value >= 0xf0 ? 3 : value >= 0xe0 ? 2 : 1
    this.#codePoint = value & (0x3f >> this.#missing)
    this.#start = start
    return true
  }

  /** Ends the text: an incomplete character is dropped. */
  end(): void {
    this.#missing = 0
  }
}
