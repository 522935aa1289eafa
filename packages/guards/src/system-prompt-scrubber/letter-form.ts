import type { CharacterReader, FormReader } from './form-reader.ts'
import { LetterGate } from './letter-gate.ts'
import type { PhraseIndex } from './phrase-index.ts'
import { codePointAt, type TextWindow } from './text-window.ts'

/** How much of a text is read before it is asked whether to go on, in UTF-16 units. */
const STEP = 32

/** How much of a text may be read again, in UTF-16 units. */
const MOST_KEPT = 256

/** What reads a text closely. */
export interface Reading {
  readonly reader: CharacterReader
  readonly heldFrom: number
}

/**
 * A text as it stands, and in ROT13. It is read closely only where a gate says that some letters in a row are those of the index:
 * from a place before them on, until others have followed.
 */
export class LetterForm implements FormReader {
  readonly #gate: LetterGate | undefined
  readonly #open: () => Reading
  #reading: Reading | undefined
  #isReading: boolean
  /** Up to here the text is read closely. */
  #read = 0
  /** Where letters were last those of the index. */
  #matched = 0

  /** @param open Begins to read it closely. Called once */
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

  /** Takes the gate to where it is read closely, and leaves the rest to it where it can. */
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
      const codePoint = codePointAt(units, place - start, length)
      const after = place + (codePoint > 0xffff ? 2 : 1)
      window.at = after
      reader.read(codePoint, place, after)
      place = after
      this.#read = after
    }
  }
}
