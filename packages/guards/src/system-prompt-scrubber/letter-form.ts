import { codePointIn } from '../code-point.ts'
import type { CharacterReader, FormReader } from './form-reader.ts'
import { LetterGate } from './letter-gate.ts'
import type { PhraseIndex } from './phrase-index.ts'
import type { TextWindow } from './text-window.ts'

/** The number of UTF-16 units that are matched before the gate is consulted again. */
const STEP = 32

/** The maximum length of the text that may be read again, in UTF-16 units. */
const MOST_KEPT = 256

/** The exact matcher that runs after a hit of the gate. */
export interface Reading {
  readonly reader: CharacterReader
  readonly heldFrom: number
}

/**
 * Finds a secret in a text as it is and in ROT13. Exact matching is slow, so a prefilter ({@link LetterGate}) looks for
 * n-grams of the index first. A hit starts exact matching some letters before the n-gram; it stops when enough letters
 * without a hit have followed.
 */
export class LetterForm implements FormReader {
  readonly #gate: LetterGate | undefined
  readonly #open: () => Reading
  #reading: Reading | undefined
  #isReading: boolean
  /** The position up to which the text is matched exactly. */
  #read = 0
  /** The end of the last hit. */
  #matched = 0

  /** @param open Creates the exact matcher. Called once */
  constructor(index: PhraseIndex, open: () => Reading) {
    this.#gate = index.grams && new LetterGate(index, index.grams)
    this.#isReading = this.#gate === undefined
    this.#open = open
  }

  get heldFrom(): number {
    const held = this.#isReading ? this.#reading?.heldFrom : this.#gate?.heldFrom
    return held ?? Number.POSITIVE_INFINITY
  }

  get keptFrom(): number {
    return this.#gate?.from ?? Number.POSITIVE_INFINITY
  }

  read(text: TextWindow): void {
    const gate = this.#gate
    for (;;) {
      if (this.#isReading || !gate) {
        const end = gate ? Math.min(text.end, this.#read + STEP) : text.end
        this.#readUpTo(end, text)
        if (gate) this.#follow(gate, text)
        if (end < text.end) continue
        if (!text.isFinal) return
        text.at = text.end
        this.#reading?.reader.end()
        return
      }
      if (!gate.read(text, text.end) && gate.place - gate.from <= MOST_KEPT) return
      this.#isReading = true
      this.#matched = gate.place
      this.#read = gate.from
    }
  }

  /** Moves the gate up to the matched position. Stops exact matching if enough letters follow the last hit. */
  #follow(gate: LetterGate, text: TextWindow): void {
    while (gate.place < this.#read) {
      if (gate.read(text, this.#read)) this.#matched = gate.place
      else break
    }
    if (gate.isMatching || !gate.isBehind(this.#matched) || gate.place - gate.from > MOST_KEPT) return
    this.#reading?.reader.reset()
    this.#isReading = false
  }

  #readUpTo(end: number, window: TextWindow): void {
    this.#reading ??= this.#open()
    const { reader } = this.#reading
    const { units, start } = window
    const length = window.end - start
    for (let place = this.#read; place < end; ) {
      const codePoint = codePointIn(units, place - start, length)
      const after = place + (codePoint > 0xffff ? 2 : 1)
      window.at = after
      reader.read(codePoint, place, after)
      place = after
      this.#read = after
    }
  }
}
