import { codePointIn } from '../code-point.ts'
import { foldLeet, leetSign } from './leet.ts'
import type { LetterGrams } from './letter-grams.ts'
import { INVISIBLE, isBlank, isDigit, isLetter, lettersOf } from './letter-reader.ts'
import type { PhraseIndex } from './phrase-index.ts'
import { AutomatonWalk } from './suffix-automaton.ts'
import type { TextWindow } from './text-window.ts'

/** The size of the ring buffer of letters: a power of two, more than the letters of an n-gram. */
const KEPT = 16

/** Longer than any escape sequence or tag, in UTF-16 units. */
const LONGEST_SPECIAL = 16

/** The kinds of ASCII characters. The kind of a letter or digit is its lower-case code, greater than all of these. */
const GAP = 0
const UNSEEN = 1
const SIGN = 2
const ESCAPE = 3
const TAG = 4
const WIDE = 5

const ZERO = 0x30
const NINE = 0x39
const SPACE = 0x20
const DOT = 0x2e
const PARENTHESIS = 0x29
const LESS = 0x3c
const SLASH = 0x2f
const PERCENT = 0x25
const AMPERSAND = 0x26
const NUMBER_SIGN = 0x23
const APOSTROPHE = 0x27
const EURO = 0x20ac

/**
 * A prefilter for exact matching. It reduces a text to letters as `LetterReader` does, and looks up each n-gram of letters in
 * an index, as it is, in ROT13, and with signs as the letters they look like. It does not decode escape sequences or
 * skip tags: it reports their possible beginnings as hits.
 */
export class LetterGate {
  readonly #index: PhraseIndex
  readonly #grams: LetterGrams
  /** The position up to which the text is read. */
  place = 0
  /** The position at which a reader must start to be in the right state at {@link place}. */
  from = 0
  /** The next value of {@link from}, and the number of letters to read before it is used. */
  #next = 0
  #missing: number
  /** Whether the last n-gram is in the index. */
  isMatching = false
  /** The start of the last possible escape sequence or tag, or of the last pair of signs. */
  #special = Number.NEGATIVE_INFINITY
  /** Rolling hashes of the last letters, as they are and in ROT13. */
  #plain = 0
  #rotated = 0
  /** The hash with signs as letters. Differs from `#plain` only for the next `#leetLeft` letters. */
  #leet = 0
  #leetLeft = 0
  #afterGap = true
  readonly #letters = new Int32Array(KEPT)
  readonly #starts = new Float64Array(KEPT)
  #count = 0
  /** The ring buffer of letters with signs as letters. */
  readonly #leetLetters = new Int32Array(KEPT)
  #leetCount = 0

  constructor(index: PhraseIndex, grams: LetterGrams) {
    this.#index = index
    this.#grams = grams
    this.#missing = grams.length + 1
  }

  /** The start of the text that may become part of a leak. */
  get heldFrom(): number {
    const { length } = this.#grams
    const most = Math.min(this.#count, length - 1)
    // A sign that counts as a letter may come before these letters.
    if (this.#leetLeft > 0 && most < length - 1) return 0
    const letters =
      this.#leetLeft > 0 ? most : Math.max(this.#matched(FOLDED, most), this.#matched(FOLDED_ROTATED, most))
    return letters === 0 ? this.place : (this.#starts[(this.#count - letters) & (KEPT - 1)] as number)
  }

  /** Whether `from` is at or after a position, and after the last possible escape sequence, tag and sign. */
  isBehind(place: number): boolean {
    return this.#leetLeft === 0 && this.from >= place && this.from >= this.#special + LONGEST_SPECIAL
  }

  /**
   * Reads up to a position. Returns true after an n-gram of the index, or if an escape sequence or tag may begin. Returns
   * false at the position, or earlier if the next character depends on text that has not arrived.
   */
  read({ units, start, end, isFinal }: TextWindow, to: number): boolean {
    const stop = to - start
    const length = end - start
    for (let index = this.place - start; index < stop; this.place = start + index) {
      const unit = units[index] as number
      const kind = unit < 128 ? (KINDS[unit] as number) : WIDE
      const place = start + index
      let width = 1
      let isFound = false
      if (kind >= ZERO) {
        if (kind <= NINE && isBlank(index === 0 ? SPACE : (units[index - 1] as number))) {
          const after = markerEnd(units, index, length)
          if (after === UNDECIDED && !isFinal) return false
          if (after > 0) {
            this.#afterGap = true
            index = after
            continue
          }
        }
        isFound = this.#letter(kind, FOLDED[kind] as number, FOLDED_ROTATED[kind] as number, place)
      } else if (kind === GAP) this.#afterGap = true
      else if (kind === WIDE && unit !== EURO) {
        const codePoint = codePointIn(units, index, length)
        if (codePoint > 0xffff) width = 2
        isFound = this.#wide(codePoint, place)
      } else if (kind !== UNSEEN) {
        if (index + 1 >= length && !isFinal) return false
        const next = index + 1 < length ? (units[index + 1] as number) : SPACE
        isFound =
          kind === ESCAPE || kind === TAG ? this.#mark(unit, next, place) : this.#sign(unit, next, place)
      }
      index += width
      if (isFound) {
        this.place = start + index
        return true
      }
    }
    return false
  }

  #letter(letter: number, plain: number, rotated: number, place: number): boolean {
    const grams = this.#grams
    const slot = this.#count++ & (KEPT - 1)
    this.#letters[slot] = letter
    this.#starts[slot] = place
    this.#afterGap = false
    this.#plain = grams.next(this.#plain, plain)
    this.#rotated = grams.next(this.#rotated, rotated)
    let isFound =
      (grams.has(this.#plain) && this.#isWhole(this.#letters, this.#count, foldLeet)) ||
      (grams.has(this.#rotated) && this.#isWhole(this.#letters, this.#count, foldRotated))
    if (this.#leetLeft > 0) {
      this.#leetLeft--
      const isLeet = this.#leetLetter(letter)
      isFound ||= isLeet
    }
    if (--this.#missing <= 0 && letter > NINE) {
      this.from = this.#next
      this.#next = place
      this.#missing = grams.length + 1
    }
    this.isMatching = isFound
    return isFound
  }

  #wide(codePoint: number, place: number): boolean {
    const letters = lettersOf(codePoint)
    if (letters.length === 0) {
      if (letters !== INVISIBLE) this.#afterGap = true
      return false
    }
    let isFound = false
    for (const letter of letters) {
      const found = this.#letter(letter, foldLeet(letter), foldRotated(letter), place)
      isFound ||= found
    }
    return isFound
  }

  /** Reads a sign that may begin an escape sequence or a tag. */
  #mark(unit: number, next: number, place: number): boolean {
    this.#afterGap = true
    if (!opens(unit, next)) return false
    this.#special = place
    return true
  }

  /** Reads a sign that may stand for a letter. */
  #sign(unit: number, next: number, place: number): boolean {
    if (leetSign(next) !== undefined) {
      this.#special = place
      this.#afterGap = true
      return true
    }
    const isLetterHere = !this.#afterGap || isLetter(next) || isDigit(next)
    this.#afterGap = true
    if (!isLetterHere) return false
    if (this.#leetLeft === 0) {
      this.#leet = this.#plain
      this.#leetLetters.set(this.#letters)
      this.#leetCount = this.#count
    }
    this.#leetLeft = this.#grams.length
    return this.#leetLetter(leetSign(unit) as number)
  }

  #leetLetter(letter: number): boolean {
    this.#leetLetters[this.#leetCount++ & (KEPT - 1)] = letter
    this.#leet = this.#grams.next(this.#leet, foldLeet(letter))
    return this.#grams.has(this.#leet) && this.#isWhole(this.#leetLetters, this.#leetCount, foldLeet)
  }

  /** Whether the last n-gram is in the index. Checks a hit of the Bloom filter, which may be a false positive. */
  #isWhole(letters: Int32Array, count: number, foldLetter: (letter: number) => number): boolean {
    const { length } = this.#grams
    if (count < length) return false
    const walk = new AutomatonWalk(this.#index.automaton)
    for (let place = count - length; place < count; place++) {
      walk.read(foldLetter(letters[place & (KEPT - 1)] as number))
    }
    return walk.length === length
  }

  /** The maximum number of last letters that may be a substring of the index, estimated with its trigrams. */
  #matched(folded: Uint8Array, most: number): number {
    let letters = Math.min(2, most)
    let last = this.#folded(folded, 1)
    let before = this.#folded(folded, 2)
    while (letters < most) {
      const first = this.#folded(folded, letters + 1)
      if (!this.#grams.hasTrigram(first, before, last)) break
      last = before
      before = first
      letters++
    }
    return letters
  }

  #folded(folded: Uint8Array, back: number): number {
    const letter = this.#letters[(this.#count - back) & (KEPT - 1)] as number
    return letter < 128 ? (folded[letter] as number) : letter
  }
}

/** Rotates a letter from a to z by 13. */
export function rot13(letter: number): number {
  return letter >= 0x61 && letter <= 0x7a ? ((letter - 0x61 + 13) % 26) + 0x61 : letter
}

function foldRotated(letter: number): number {
  return foldLeet(rot13(letter))
}

const KINDS = new Uint8Array(128).map((_, code) => {
  if (leetSign(code) !== undefined) return SIGN
  if (code === LESS) return TAG
  if (code === PERCENT || code === AMPERSAND || code === 0x5c) return ESCAPE
  if (isLetter(code)) return code | 0x20
  if (isDigit(code)) return code
  const isControl = code < SPACE || code === 0x7f
  return code === APOSTROPHE || (isControl && !isBlank(code)) ? UNSEEN : GAP
})
const FOLDED = new Uint8Array(128).map((_, code) => foldLeet(code))
const FOLDED_ROTATED = new Uint8Array(128).map((_, code) => foldRotated(code))

const UNDECIDED = -1

/** The end of the list marker (`1.`, `2)`) at a position; 0 if the number is not a list marker. */
function markerEnd(units: Uint16Array, start: number, length: number): number {
  let end = start + 1
  if (end < length && isDigit(units[end] as number)) end++
  if (end >= length) return UNDECIDED
  const sign = units[end]
  if (sign !== DOT && sign !== PARENTHESIS) return 0
  end++
  if (end >= length) return UNDECIDED
  return isBlank(units[end] as number) ? end : 0
}

/** Whether a sign and the character after it may begin an escape sequence or a tag. */
function opens(sign: number, next: number): boolean {
  if (sign === LESS) return next === SLASH || isLetter(next)
  if (sign === PERCENT) return /[\da-f]/i.test(String.fromCharCode(next))
  if (sign === AMPERSAND) return next === NUMBER_SIGN || isLetter(next)
  return /[uxnrt]/i.test(String.fromCharCode(next))
}
