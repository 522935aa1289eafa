import type { FormReader } from './form-reader.ts'
import type { PhraseCursor } from './phrase-cursor.ts'
import type { TextWindow } from './text-window.ts'

/** International Morse code (ITU-R M.1677-1): letters and digits. */
const CODES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    a: '.-',
    b: '-...',
    c: '-.-.',
    d: '-..',
    e: '.',
    f: '..-.',
    g: '--.',
    h: '....',
    i: '..',
    j: '.---',
    k: '-.-',
    l: '.-..',
    m: '--',
    n: '-.',
    o: '---',
    p: '.--.',
    q: '--.-',
    r: '.-.',
    s: '...',
    t: '-',
    u: '..-',
    v: '...-',
    w: '.--',
    x: '-..-',
    y: '-.--',
    z: '--..',
    0: '-----',
    1: '.----',
    2: '..---',
    3: '...--',
    4: '....-',
    5: '.....',
    6: '-....',
    7: '--...',
    8: '---..',
    9: '----.',
  }).map(([letter, code]) => [code, letter.charCodeAt(0)]),
)

const LONGEST_CODE = 6
const DOTS = new Set(Array.from('.·•∙․⋅', codePointOf))
const DASHES = new Set(Array.from('-–—−_‐‑', codePointOf))

/**
 * Reads a text as Morse code. Letters are separated by one space; words by a slash, a bar, a line break or several
 * spaces.
 */
export class MorseReader implements FormReader {
  readonly #newCursor: () => PhraseCursor
  /** Created with the first letter. */
  #cursor: PhraseCursor | undefined
  readonly keptFrom: number = Number.POSITIVE_INFINITY
  /** The position up to which the text is read. */
  #place = 0
  #code = ''
  #start = 0
  #codeEnd = 0
  #spaces = 0
  #afterGap = true

  /** @param cursor Creates a cursor. Called once */
  constructor(cursor: () => PhraseCursor) {
    this.#newCursor = cursor
  }

  get heldFrom(): number {
    const held = this.#cursor?.heldFrom ?? Number.POSITIVE_INFINITY
    return this.#code === '' ? held : Math.min(this.#start, held)
  }

  read(window: TextWindow): void {
    const { units, start, end, isFinal } = window
    let isIdle = this.#isIdle
    while (this.#place < end) {
      const place = this.#place++
      const unit = units[place - start] as number
      // Fast path: most text has no dots and dashes.
      if (isIdle && unit < 128 && ASCII_SIGNS[unit] === 0) continue
      window.at = this.#place
      this.#character(unit, place, this.#place)
      isIdle = this.#isIdle
    }
    if (!isFinal) return
    window.at = end
    this.#end()
  }

  get #isIdle(): boolean {
    return this.#afterGap && this.#code === '' && (this.#cursor?.length ?? 0) === 0
  }

  #character(codePoint: number, start: number, end: number): void {
    const sign = DOTS.has(codePoint) ? '.' : DASHES.has(codePoint) ? '-' : ''
    if (sign !== '') {
      if (this.#code === '') this.#start = start
      // A longer code is invalid, so its further signs are not stored.
      if (this.#code.length <= LONGEST_CODE) this.#code += sign
      this.#codeEnd = end
      this.#spaces = 0
      return
    }
    this.#letter()
    if (codePoint === SPACE) {
      if (++this.#spaces > 1) this.#gap()
    } else if (SEPARATORS.has(codePoint)) this.#gap()
    else this.#stop()
  }

  #end(): void {
    this.#letter()
    this.#stop()
  }

  #letter(): void {
    if (this.#code === '') return
    const letter = CODES.get(this.#code)
    this.#code = ''
    if (letter === undefined) {
      // Codes of punctuation are longer, and end a word.
      this.#gap()
      return
    }
    this.#cursor ??= this.#newCursor()
    this.#cursor.letter(letter, this.#start, this.#codeEnd, this.#afterGap)
    this.#afterGap = false
  }

  #gap(): void {
    if (!this.#afterGap) this.#cursor?.gap()
    this.#afterGap = true
  }

  #stop(): void {
    this.#gap()
    if (this.#cursor && this.#cursor.length > 0) this.#cursor.reset()
  }
}

const ASCII_SIGNS = new Uint8Array(128)
for (const sign of [...DOTS, ...DASHES]) if (sign < 128) ASCII_SIGNS[sign] = 1

const SPACE = 0x20
const SEPARATORS = new Set(Array.from('/|\n\r\t\u00a0', codePointOf))

function codePointOf(character: string): number {
  return character.codePointAt(0) as number
}
