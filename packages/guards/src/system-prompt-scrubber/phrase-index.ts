import { EscapeReader } from './escape-reader.ts'
import { foldLeet } from './leet.ts'
import { LetterGrams } from './letter-grams.ts'
import { LetterReader } from './letter-reader.ts'
import { SuffixAutomaton } from './suffix-automaton.ts'

export interface PhraseIndexOptions {
  /** The minimum number of consecutive words that count as a phrase. */
  readonly leastWords: number
  /** Whether a phrase counts if it begins within a word of the text. */
  readonly withinWords?: boolean
}

/** Scripts without spaces between words: two characters count as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u

/** Separates the directions. Not a code point, so no text contains it. */
const SEPARATOR = -1

type Word = readonly number[]

/**
 * Indexes the words of a text in four directions: forward, with all letters reversed, with the order of words reversed,
 * and with every word reversed. Escape sequences and leetspeak make no difference.
 */
export class PhraseIndex {
  readonly automaton: SuffixAutomaton
  /** The n-grams of the letters, to find candidates fast; `undefined` if phrases are shorter than an n-gram. */
  readonly grams: LetterGrams | undefined
  readonly leastWords: number
  readonly withinWords: boolean
  /** The maximum number of letters in {@link leastWords} plus one consecutive words. */
  readonly longest: number
  /** The minimum number of letters of {@link leastWords} words. */
  readonly shortest: number
  /** By position: the number of words that begin at or before it. */
  readonly #wordsUpTo: Int32Array
  readonly #wordStarts: readonly number[]
  readonly #isWordEnd: Uint8Array

  constructor(text: string, { leastWords, withinWords = false }: PhraseIndexOptions) {
    this.leastWords = leastWords
    this.withinWords = withinWords
    const words = wordsOf(text)
    const mirrored = words.map((word) => word.toReversed())
    const symbols: number[] = []
    const starts: number[] = []
    const ends: number[] = []
    const directions: Word[] = []
    if (words.length >= leastWords) {
      for (const direction of [words, mirrored.toReversed(), words.toReversed(), mirrored]) {
        directions.push(direction.flat())
        for (const word of direction) {
          starts.push(symbols.length)
          for (const letter of word) symbols.push(letter)
          ends.push(symbols.length - 1)
        }
        symbols.push(SEPARATOR)
      }
    }
    this.automaton = new SuffixAutomaton(symbols)
    this.#wordStarts = starts
    this.#isWordEnd = new Uint8Array(symbols.length)
    for (const end of ends) this.#isWordEnd[end] = 1
    this.#wordsUpTo = new Int32Array(symbols.length)
    for (const start of starts) this.#wordsUpTo[start] = 1
    for (let place = 1; place < symbols.length; place++) {
      this.#wordsUpTo[place] = (this.#wordsUpTo[place] as number) + (this.#wordsUpTo[place - 1] as number)
    }
    let longest = 0
    let shortest = Number.POSITIVE_INFINITY
    for (let word = 0; word < ends.length; word++) {
      const end = (ends[word] as number) + 1
      longest = Math.max(longest, end - (starts[Math.max(0, word - leastWords)] as number))
      const first = starts[word - leastWords + 1]
      if (first !== undefined) shortest = Math.min(shortest, end - first)
    }
    this.longest = longest
    this.shortest = shortest
    this.grams = LetterGrams.of(directions, shortest)
  }

  /** Whether the text has too few words for a phrase. */
  get isEmpty(): boolean {
    return this.longest === 0
  }

  isWordEnd(place: number): boolean {
    return this.#isWordEnd[place] === 1
  }

  /** The number of whole words among the `length` letters that end at `place`, which is the end of a word. */
  wordsIn(place: number, length: number): number {
    const before = place - length
    return (this.#wordsUpTo[place] as number) - (before < 0 ? 0 : (this.#wordsUpTo[before] as number))
  }

  /** The number of letters in the last `words` words that end at `place`. */
  lettersOfLast(words: number, place: number): number {
    return place - (this.#wordStarts[(this.#wordsUpTo[place] as number) - words] as number) + 1
  }
}

function wordsOf(text: string): Word[] {
  const words: number[][] = []
  const letters = new LetterReader({
    letter(letter, _start, _end, afterGap) {
      const word = words.at(-1)
      if (!word || afterGap || (UNSPACED.test(String.fromCodePoint(letter)) && word.length >= 2)) {
        words.push([foldLeet(letter)])
      } else {
        word.push(foldLeet(letter))
      }
    },
    gap() {},
  })
  const reader = new EscapeReader(letters)
  let place = 0
  for (const character of text) {
    reader.read(character.codePointAt(0) as number, place, place + character.length)
    place += character.length
  }
  reader.end()
  return words
}
