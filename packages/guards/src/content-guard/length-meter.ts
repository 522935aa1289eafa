import { codePointAt } from '../code-point.ts'
/** The maximum length of a text. */
export interface LengthLimit {
  readonly length: number
  readonly unit: LengthUnit
  /** In UTF-8. */
  readonly bytes: number
}

/**
 * A code point is a character of Unicode. A grapheme is what a reader sees as one character, such as a family emoji.
 */
export type LengthUnit = 'code-point' | 'grapheme'

/** In UTF-16 units. A longer grapheme, which no script has, counts once for each part of this length. */
const LONGEST_GRAPHEME = 128

/** Measures one or several texts that arrive in chunks. */
export class LengthMeter {
  readonly #limit: LengthLimit
  readonly #segmenter: Intl.Segmenter | undefined
  #length = 0
  #bytes = 0
  /** The incomplete character at the end of the text so far. */
  #pending = ''
  #isOver = false

  constructor(limit: LengthLimit, from?: { length: number; bytes: number }) {
    this.#limit = limit
    this.#length = from?.length ?? 0
    this.#bytes = from?.bytes ?? 0
    if (limit.unit === 'grapheme') this.#segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
  }

  /** Whether the limit was exceeded. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** The length and bytes of the text that fitted so far. */
  get used(): { length: number; bytes: number } {
    return { length: this.#length, bytes: this.#bytes }
  }

  /** Takes the next chunk. Returns its complete characters that fit. */
  push(piece: string): string {
    return this.#take(piece, false)
  }

  /** Ends the text. Returns what was held and fits. */
  end(): string {
    return this.#take('', true)
  }

  #take(piece: string, final: boolean): string {
    if (this.#isOver) return ''
    let text = this.#pending + piece
    const half = final ? '' : (/[\ud800-\udbff]$/.exec(text)?.[0] ?? '')
    text = text.slice(0, text.length - half.length)
    const out = this.#segmenter ? this.#graphemes(text, this.#segmenter, final) : this.#codePoints(text)
    this.#pending = this.#isOver ? '' : text.slice(out.length) + half
    return out
  }

  #codePoints(text: string): string {
    let place = 0
    while (place < text.length) {
      const codePoint = codePointAt(text, place)
      if (!this.#fits(bytesOf(codePoint))) return text.slice(0, place)
      place += codePoint > 0xffff ? 2 : 1
    }
    return text.slice(0, place)
  }

  #graphemes(text: string, segmenter: Intl.Segmenter, final: boolean): string {
    let place = 0
    for (const { segment, index } of segmenter.segment(text)) {
      const isOpen = !final && index + segment.length === text.length
      for (let from = 0; from < segment.length; ) {
        let to = Math.min(segment.length, from + LONGEST_GRAPHEME)
        if (to < segment.length && codePointAt(segment, to - 1) > 0xffff) to++
        if (isOpen && to === segment.length) break
        let bytes = 0
        for (const character of segment.slice(from, to)) bytes += bytesOf(character.codePointAt(0) as number)
        if (!this.#fits(bytes)) return text.slice(0, place)
        from = to
        place = index + to
      }
    }
    return text.slice(0, place)
  }

  #fits(bytes: number): boolean {
    this.#isOver = this.#length + 1 > this.#limit.length || this.#bytes + bytes > this.#limit.bytes
    if (this.#isOver) return false
    this.#length++
    this.#bytes += bytes
    return true
  }
}

function bytesOf(codePoint: number): number {
  return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4
}
