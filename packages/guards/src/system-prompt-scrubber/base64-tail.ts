import { foldLeet } from './leet.ts'
import { isBlank, LetterReader } from './letter-reader.ts'
import type { PhraseIndex } from './phrase-index.ts'
import { sextetOf } from './sextet.ts'
import { AutomatonWalk } from './suffix-automaton.ts'
import { Utf8Reader } from './utf8-reader.ts'

/** How many characters of the encoded text are decoded. */
const MOST = 64

/** Decodes the end of a base64 text, at any offset, and matches its last letters against an index. */
export class Base64Tail {
  readonly #walk: AutomatonWalk
  readonly #reader: LetterReader
  readonly #bytes: Utf8Reader
  /** The last characters, newest first. */
  readonly #sextets = new Int8Array(MOST)
  #count = 0
  #letters = 0

  constructor(index: PhraseIndex) {
    this.#walk = new AutomatonWalk(index.automaton)
    this.#reader = new LetterReader({
      letter: (letter) => {
        this.#letters++
        this.#walk.read(foldLeet(letter))
      },
      gap() {},
      reset: () => this.#walk.reset(),
    })
    this.#bytes = new Utf8Reader((codePoint, start, end) => this.#reader.read(codePoint, start, end))
  }

  /** Reads the end of the encoded text that begins at `from` and ends at `to`. It may contain white space. */
  read(units: Uint16Array, from: number, to: number): void {
    this.#count = 0
    for (let place = to - 1; place >= from && this.#count < MOST; place--) {
      const unit = units[place] as number
      if (!isBlank(unit)) this.#sextets[this.#count++] = sextetOf(unit)
    }
  }

  /**
   * Whether its last `least` letters may be in the index.
   *
   * @param incomplete The number of characters of the last group, if it is incomplete
   */
  mayMatch(least: number, incomplete: number): boolean {
    this.#bytes.end()
    this.#reader.reset()
    this.#letters = 0
    let group = 0
    let characters = 0
    for (let next = this.#count - ((this.#count - incomplete) & 3) - 1; next >= 0; next--) {
      group = (group << 6) | (this.#sextets[next] as number)
      if (characters++ === 0) continue
      const shift = 8 - 2 * characters
      if (!this.#bytes.byte((group >> shift) & 0xff, 0, 0)) this.#reader.reset()
      if (characters === 4) characters = group = 0
    }
    // Earlier letters are not decoded.
    return this.#walk.length >= least || (this.#letters < least && this.#count === MOST)
  }
}
