import type { CharacterReader } from './form-reader.ts'
import { Utf8Reader } from './utf8-reader.ts'

interface Unit {
  readonly codePoint: number
  readonly start: number
  readonly end: number
}

/** Complete escape sequences: `%48`; `&#72;`, `&#x48;`, `&amp;`; `\u0048`, `\u{48}`, `\x48`, `\n`. */
const ESCAPE =
  /^(?:%[\da-f]{2}|&(?:#\d{1,7}|#x[\da-f]{1,6}|lt|gt|amp|quot|apos|nbsp);|\\(?:u[\da-f]{4}|u\{[\da-f]{1,6}\}|x[\da-f]{2}|[nrt]))$/i
/** Incomplete escape sequences. */
const BEGINNING =
  /^(?:%[\da-f]?|&(?:#(?:\d{0,7}|x[\da-f]{0,6})|[a-z]{0,4})|\\(?:u(?:[\da-f]{0,3}|\{[\da-f]{0,6})|x[\da-f]?)?)$/i

const NAMED: Readonly<Record<string, number>> = {
  lt: 0x3c,
  gt: 0x3e,
  amp: 0x26,
  quot: 0x22,
  apos: 0x27,
  nbsp: 0xa0,
}
const SPACE = 0x20

/**
 * Decodes the escape sequences of URLs, HTML, JSON and programming languages, and passes the text to another reader.
 * Text that is not escaped passes unchanged.
 */
export class EscapeReader implements CharacterReader {
  readonly #reader: CharacterReader
  readonly #bytes: Utf8Reader
  /** An incomplete escape sequence. */
  #held: Unit[] = []
  #escape = ''

  constructor(reader: CharacterReader) {
    this.#reader = reader
    this.#bytes = new Utf8Reader((codePoint, start, end) => reader.read(codePoint, start, end))
  }

  get heldFrom(): number {
    const held = this.#held[0]?.start ?? Number.POSITIVE_INFINITY
    return Math.min(held, this.#bytes.heldFrom, this.#reader.heldFrom)
  }

  read(codePoint: number, start: number, end: number): void {
    if (this.#escape !== '') {
      const longer = this.#escape + String.fromCodePoint(codePoint)
      const isEscape = ESCAPE.test(longer)
      if (isEscape || BEGINNING.test(longer)) {
        this.#held.push({ codePoint, start, end })
        this.#escape = longer
        if (isEscape) this.#decode(end)
        return
      }
      this.#release()
    }
    if (codePoint === PERCENT || codePoint === AMPERSAND || codePoint === BACKSLASH) {
      this.#held.push({ codePoint, start, end })
      this.#escape = String.fromCodePoint(codePoint)
    } else {
      this.#bytes.end()
      this.#reader.read(codePoint, start, end)
    }
  }

  end(): void {
    this.#release()
    this.#bytes.end()
    this.#reader.end()
  }

  reset(): void {
    this.#held = []
    this.#escape = ''
    this.#bytes.end()
    this.#reader.reset()
  }

  /** The sequence is not an escape: its characters are passed as plain text. */
  #release(): void {
    const held = this.#held
    if (held.length === 0) return
    this.#held = []
    this.#escape = ''
    this.#bytes.end()
    for (const { codePoint, start, end } of held) this.#reader.read(codePoint, start, end)
  }

  #decode(end: number): void {
    const sequence = this.#escape
    const start = this.#held[0]?.start ?? end
    this.#held = []
    this.#escape = ''
    if (sequence[0] === '%' || /^\\x/i.test(sequence)) {
      const byte = Number.parseInt(sequence.slice(-2), 16)
      if (!this.#bytes.byte(byte, start, end)) this.#reader.read(SPACE, start, end)
      return
    }
    this.#bytes.end()
    this.#reader.read(characterOf(sequence), start, end)
  }
}

const PERCENT = 0x25
const AMPERSAND = 0x26
const BACKSLASH = 0x5c

function characterOf(sequence: string): number {
  const body = sequence.replace(/[&;\\#{}]/g, '').toLowerCase()
  const named = NAMED[body]
  if (named !== undefined) return named
  const isHex = /^[ux]/.test(body)
  if (!isHex && !/^\d/.test(body)) return SPACE
  const code = isHex ? Number.parseInt(body.slice(1), 16) : Number(body)
  return code > 0 && code <= 0x10ffff ? code : SPACE
}
