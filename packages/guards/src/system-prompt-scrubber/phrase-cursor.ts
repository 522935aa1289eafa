import { foldLeet } from './leet.ts'
import type { LetterSink } from './letter-reader.ts'
import type { PhraseIndex } from './phrase-index.ts'

/** Called when a text has enough consecutive words of an index, and again for each further word. */
export type OnPhrase = (phrase: { start: number; end: number; place: number }) => void

/** Matches the letters of one reading of a text against an index. */
export class PhraseCursor implements LetterSink {
  readonly #index: PhraseIndex
  readonly #onPhrase: OnPhrase
  #state = 0
  #length = 0
  /** A ring buffer of the last letters: the start of each in the text, and whether it follows a gap. */
  readonly #starts: Float64Array
  readonly #gaps: Uint8Array
  /** The size of the ring buffer, which is a power of two, minus 1. */
  readonly #mask: number
  #count = 0
  /** A match that counts only if the word of the text also ends here. */
  #pending: { start: number; end: number; place: number } | undefined
  /** The end of the last reported phrase. */
  #reported = 0

  constructor(index: PhraseIndex, onPhrase: OnPhrase) {
    this.#index = index
    this.#onPhrase = onPhrase
    const size = 2 ** Math.ceil(Math.log2(index.longest + 1))
    this.#starts = new Float64Array(size)
    this.#gaps = new Uint8Array(size)
    this.#mask = size - 1
  }

  /** The length of the current match with the index, in letters. */
  get length(): number {
    return this.#length
  }

  /** The start of the text that may become part of a phrase. */
  get heldFrom(): number {
    if (this.#length === 0) return Number.POSITIVE_INFINITY
    const letters = Math.min(this.#length, this.#index.longest)
    const start = this.#starts[this.#slot(letters)] as number
    return Math.max(this.#reported, Math.min(start, this.#pending?.start ?? start))
  }

  letter(letter: number, start: number, end: number, afterGap: boolean): void {
    if (this.#index.isEmpty) return
    const before = this.#length
    this.#advance(foldLeet(letter))
    if (this.#pending) {
      // If words are written without a space, the end of the first is confirmed only when the next letter continues the
      // match.
      if (this.#length !== before + 1) this.#pending = undefined
    }
    const slot = this.#count++ & this.#mask
    this.#starts[slot] = start
    this.#gaps[slot] = afterGap ? 1 : 0
    // A quick test: a word has at least one letter.
    if (this.#length >= this.#index.leastWords) this.#look(end)
  }

  gap(): void {
    this.#confirm()
  }

  /** Discards the current match. */
  reset(): void {
    this.gap()
    this.#state = 0
    this.#length = 0
  }

  /** Copies the state of another cursor of the same index. */
  become(other: PhraseCursor): void {
    this.#state = other.#state
    this.#length = other.#length
    this.#starts.set(other.#starts)
    this.#gaps.set(other.#gaps)
    this.#count = other.#count
    this.#pending = other.#pending
    this.#reported = other.#reported
  }

  #advance(letter: number): void {
    const { automaton } = this.#index
    let state = this.#state
    let next = automaton.next(state, letter)
    while (next === -1 && state !== 0) {
      state = automaton.link[state] as number
      this.#length = automaton.length[state] as number
      next = automaton.next(state, letter)
    }
    this.#state = next === -1 ? 0 : next
    this.#length = next === -1 ? 0 : this.#length + 1
  }

  #look(end: number): void {
    const index = this.#index
    const place = index.automaton.end[this.#state] as number
    if (!index.isWordEnd(place)) return
    const words = index.wordsIn(place, this.#length)
    let { leastWords } = index
    if (words < leastWords) return
    let slot = this.#slot(index.lettersOfLast(leastWords, place))
    if (this.#gaps[slot] === 0 && !index.withinWords) {
      // The first matched word may be only the end of a word in the text: one more word is required.
      leastWords++
      if (words < leastWords) return
      slot = this.#slot(index.lettersOfLast(leastWords, place))
    }
    this.#confirm()
    this.#pending = { start: this.#starts[slot] as number, end, place }
    if (index.withinWords) this.#confirm()
  }

  #confirm(): void {
    const phrase = this.#pending
    if (!phrase) return
    this.#pending = undefined
    this.#reported = phrase.end
    this.#onPhrase(phrase)
  }

  /** The slot of the first of the last `letters` letters. */
  #slot(letters: number): number {
    return (this.#count - letters) & this.#mask
  }
}
