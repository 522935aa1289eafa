import type { FormReader } from './form-reader.ts'
import type { PhraseCursor } from './phrase-cursor.ts'

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
  readonly #cursor: PhraseCursor
  #code = ''
  #start = 0
  #end = 0
  #spaces = 0
  #afterGap = true

  constructor(cursor: PhraseCursor) {
    this.#cursor = cursor
  }

  get heldFrom(): number {
    return this.#code === '' ? this.#cursor.heldFrom : Math.min(this.#start, this.#cursor.heldFrom)
  }

  read(codePoint: number, start: number, end: number): void {
    const isNone = codePoint < 128 && ASCII_SIGNS[codePoint] === 0
    if (isNone && this.#afterGap && this.#code === '' && this.#cursor.length === 0) return
    const sign = DOTS.has(codePoint) ? '.' : DASHES.has(codePoint) ? '-' : ''
    if (sign !== '') {
      if (this.#code === '') this.#start = start
      // A longer code is invalid, so its further signs are not stored.
      if (this.#code.length <= LONGEST_CODE) this.#code += sign
      this.#end = end
      this.#spaces = 0
      return
    }
    this.#letter()
    if (codePoint === SPACE) {
      if (++this.#spaces > 1) this.#gap()
    } else if (SEPARATORS.has(codePoint)) this.#gap()
    else this.#stop()
  }

  end(): void {
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
    this.#cursor.letter(letter, this.#start, this.#end, this.#afterGap)
    this.#afterGap = false
  }

  #gap(): void {
    if (!this.#afterGap) this.#cursor.gap()
    this.#afterGap = true
  }

  #stop(): void {
    this.#gap()
    if (this.#cursor.length > 0) this.#cursor.reset()
  }
}

const ASCII_SIGNS = new Uint8Array(128)
for (const sign of [...DOTS, ...DASHES]) if (sign < 128) ASCII_SIGNS[sign] = 1

const SPACE = 0x20
const SEPARATORS = new Set(Array.from('/|\n\r\t\u00a0', codePointOf))

function codePointOf(character: string): number {
  return character.codePointAt(0) as number
}
