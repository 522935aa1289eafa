import { foldLeet, leetSign } from './leet.ts'
import type { LetterGrams } from './letter-grams.ts'
import { INVISIBLE, isBlank, isDigit, isLetter, lettersOf } from './letter-reader.ts'
import type { PhraseIndex } from './phrase-index.ts'
import { AutomatonWalk } from './suffix-automaton.ts'
import { codePointAt, type TextWindow } from './text-window.ts'

/** How many of the last letters are kept: a power of two, more than a gram has. */
const KEPT = 16

/** More than an escape or a tag has, in UTF-16 units. */
const LONGEST_SPECIAL = 16

/** What a character of ASCII is. A letter or digit is what it is folded to, which is more than these. */
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
 * Reads a text as a `LetterReader` does, and says where letters in a row are those of an index: as they are, in ROT13, or with
 * signs for letters. It says so of escapes and tags too, which it does not read.
 */
export class LetterGate {
  readonly #index: PhraseIndex
  readonly #grams: LetterGrams
  /** Up to here the text is read. */
  place = 0
  /** A reader that begins here knows all that matters at {@link place}. */
  from = 0
  /** The next such place, and how many letters are still to follow it. */
  #next = 0
  #missing: number
  /** Whether the last letters are those of the index. */
  isMatching = false
  /** Where the last escape, tag or row of signs begins. */
  #special = Number.NEGATIVE_INFINITY
  /** Hashes of the last letters. */
  #plain = 0
  #rotated = 0
  /** The same with signs for letters: differs from `#plain` for so many more letters. */
  #leet = 0
  #leetLeft = 0
  #afterGap = true
  readonly #letters = new Int32Array(KEPT)
  readonly #starts = new Float64Array(KEPT)
  #count = 0
  /** With signs for letters. */
  readonly #leetLetters = new Int32Array(KEPT)
  #leetCount = 0

  constructor(index: PhraseIndex, grams: LetterGrams) {
    this.#index = index
    this.#grams = grams
    this.#missing = grams.length + 1
  }

  /** Where the text begins that may become part of a leak. */
  get heldFrom(): number {
    const { length } = this.#grams
    const most = Math.min(this.#count, length - 1)
    // There may be a sign before them.
    if (this.#leetLeft > 0 && most < length - 1) return 0
    const letters =
      this.#leetLeft > 0 ? most : Math.max(this.#matched(FOLDED, most), this.#matched(FOLDED_ROTATED, most))
    return letters === 0 ? this.place : (this.#starts[(this.#count - letters) & (KEPT - 1)] as number)
  }

  /** Whether `from` is behind a place, and behind all that is not read. */
  isBehind(place: number): boolean {
    return this.#leetLeft === 0 && this.from >= place && this.from >= this.#special + LONGEST_SPECIAL
  }

  /**
   * Reads up to a place. Returns true where the last letters are those of the index; false where all is read, or more of the text
   * has to be known.
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
        const codePoint = codePointAt(units, index, length)
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

  /** A sign that may be an escape or a tag. */
  #mark(unit: number, next: number, place: number): boolean {
    this.#afterGap = true
    if (!opens(unit, next)) return false
    this.#special = place
    return true
  }

  /** A sign that may be a letter. */
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

  /** Whether so many of the last letters as a gram has are those of the index. */
  #isWhole(letters: Int32Array, count: number, foldLetter: (letter: number) => number): boolean {
    const { length } = this.#grams
    if (count < length) return false
    const walk = new AutomatonWalk(this.#index.automaton)
    for (let place = count - length; place < count; place++) {
      walk.read(foldLetter(letters[place & (KEPT - 1)] as number))
    }
    return walk.length === length
  }

  /** How many of the last letters the index may have: two, and more as long as it has them by threes. */
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

/** Turns letters from a to z by half of the alphabet. */
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

/** The end of the number of a list item that begins at a place, and of the sign after it; 0 where it is another number. */
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

/** Whether it may begin an escape or a tag, with the character after it. */
function opens(sign: number, next: number): boolean {
  if (sign === LESS) return next === SLASH || isLetter(next)
  if (sign === PERCENT) return /[\da-f]/i.test(String.fromCharCode(next))
  if (sign === AMPERSAND) return next === NUMBER_SIGN || isLetter(next)
  return /[uxnrt]/i.test(String.fromCharCode(next))
}
