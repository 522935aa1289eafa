import { fold } from '../keyword-guard/fold.ts'
import type { CharacterReader } from './form-reader.ts'
import { leetSign } from './leet.ts'

/** Where the letters of a text go. Places are those of the text, in UTF-16 units. */
export interface LetterSink {
  /** @param afterGap Whether something other than a letter stands before it */
  letter(letter: number, start: number, end: number, afterGap: boolean): void
  /** Something between letters that readers see: space, punctuation. */
  gap(): void
  /**
   * A sign beside a letter, which may be written for the letter it looks like. A gap follows, and a second one where the
   * word ends with the sign.
   */
  sign?(letter: number, start: number, end: number, afterGap: boolean): void
  /** What was read has nothing to do with what follows. */
  reset?(): void
}

interface Unit {
  readonly codePoint: number
  readonly start: number
  readonly end: number
}

/** Longest number of a list marker, and longest name of a tag. */
const MOST_DIGITS = 2
const MOST_TAG_LETTERS = 10
/** Most signs in a row that are read as letters. */
const MOST_SIGNS = 4

/**
 * Reads a text as letters and digits alone, so that case, width, accents, spacing, punctuation, markup and invisible
 * characters make no difference. The numbers of list items and the names of tags (`<li>`) are read over.
 */
export class LetterReader implements CharacterReader {
  readonly #sink: LetterSink
  #afterGap = true
  /** The two code points before. */
  #previous = SPACE
  #beforePrevious = SPACE
  /** What may be the number of a list item, the name of a tag, or signs written for letters. */
  #held: Unit[] = []
  #heldKind: 'number' | 'marker' | 'tag' | 'signs' = 'tag'

  constructor(sink: LetterSink) {
    this.#sink = sink
  }

  /** Where the text begins of which it is not yet known whether it counts. */
  get heldFrom(): number {
    return this.#held[0]?.start ?? Number.POSITIVE_INFINITY
  }

  read(codePoint: number, start: number, end: number): void {
    const goesOn = this.#held.length > 0 && this.#goesOn(codePoint)
    const isHeld = goesOn || (this.#held.length === 0 && this.#begins(codePoint))
    if (isHeld) this.#held.push({ codePoint, start, end })
    else this.#plain(codePoint, start, end)
    this.#beforePrevious = this.#previous
    this.#previous = codePoint
  }

  /** The text ends here. */
  end(): void {
    this.#release()
    this.#gap()
    this.#previous = this.#beforePrevious = SPACE
  }

  reset(): void {
    this.#held = []
    this.#afterGap = true
    this.#previous = this.#beforePrevious = SPACE
    this.#sink.reset?.()
  }

  #begins(codePoint: number): boolean {
    if (isDigit(codePoint) && isBlank(this.#previous)) {
      this.#heldKind = 'number'
      return true
    }
    if (this.#sink.sign && leetSign(codePoint) !== undefined) {
      this.#heldKind = 'signs'
      return true
    }
    if (!isLetter(codePoint)) return false
    const opens = this.#previous === LESS || (this.#previous === SLASH && this.#beforePrevious === LESS)
    if (opens) this.#heldKind = 'tag'
    return opens
  }

  /** Whether the character belongs to what is held. If not, it is decided what that was. */
  #goesOn(codePoint: number): boolean {
    const { length } = this.#held
    if (this.#heldKind === 'tag') {
      if ((isLetter(codePoint) || isDigit(codePoint)) && length < MOST_TAG_LETTERS) return true
      if (codePoint === GREATER || codePoint === SLASH) this.#drop()
      else this.#release()
      return false
    }
    if (this.#heldKind === 'signs') {
      if (leetSign(codePoint) !== undefined && length < MOST_SIGNS) return true
      this.#endSigns(isLetter(codePoint) || isDigit(codePoint))
      return false
    }
    if (this.#heldKind === 'number') {
      if (isDigit(codePoint) && length < MOST_DIGITS) return true
      if (codePoint === DOT || codePoint === PARENTHESIS) {
        this.#heldKind = 'marker'
        return true
      }
    } else if (isBlank(codePoint)) {
      this.#drop()
      return false
    }
    this.#release()
    return false
  }

  #drop(): void {
    this.#held = []
    this.#gap()
  }

  /** Next to a letter, they may be letters. */
  #endSigns(isBeforeLetter: boolean): void {
    const signs = this.#held
    const areLetters = isBeforeLetter || !this.#afterGap
    if (areLetters) {
      for (const { codePoint, start, end } of signs) {
        this.#sink.sign?.(leetSign(codePoint) ?? codePoint, start, end, this.#afterGap)
      }
    }
    this.#held = []
    this.#gap()
    // The word ends here, also where the signs are letters of it.
    if (areLetters && !isBeforeLetter) this.#sink.gap()
  }

  /** It is text like any other. */
  #release(): void {
    const held = this.#held
    if (held.length === 0) return
    if (this.#heldKind === 'signs') {
      this.#endSigns(false)
      return
    }
    this.#held = []
    for (const { codePoint, start, end } of held) this.#plain(codePoint, start, end)
  }

  #plain(codePoint: number, start: number, end: number): void {
    const letter = codePoint < 128 ? (ASCII_LETTERS[codePoint] as number) : 0
    if (letter !== 0) {
      this.#sink.letter(letter, start, end, this.#afterGap)
      this.#afterGap = false
      return
    }
    const letters = lettersOf(codePoint)
    if (letters === INVISIBLE) return
    if (letters.length === 0) {
      this.#gap()
      return
    }
    for (const letter of letters) {
      this.#sink.letter(letter, start, end, this.#afterGap)
      this.#afterGap = false
    }
  }

  #gap(): void {
    if (!this.#afterGap) this.#sink.gap()
    this.#afterGap = true
  }
}

const SPACE = 0x20
const LESS = 0x3c
const GREATER = 0x3e
const SLASH = 0x2f
const DOT = 0x2e
const PARENTHESIS = 0x29

export function isDigit(codePoint: number): boolean {
  return codePoint >= 0x30 && codePoint <= 0x39
}

export function isLetter(codePoint: number): boolean {
  const lower = codePoint | 0x20
  return lower >= 0x61 && lower <= 0x7a
}

export function isBlank(codePoint: number): boolean {
  return codePoint === SPACE || (codePoint >= 9 && codePoint <= 13) || codePoint === 0xa0
}

/** Read over without a gap: what is not seen, marks over letters, apostrophes. */
export const INVISIBLE: readonly number[] = []
const NO_LETTERS: readonly number[] = []

/** What letters and digits of ASCII are folded to; 0 for all else. */
const ASCII_LETTERS = new Uint8Array(128)
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789') {
  ASCII_LETTERS[character.charCodeAt(0)] = character.toLowerCase().charCodeAt(0)
}

const known = new Map<number, readonly number[]>()
const MOST_KNOWN = 20_000

/** The letters and digits that a character is folded to, or {@link INVISIBLE}. */
export function lettersOf(codePoint: number): readonly number[] {
  let letters = known.get(codePoint)
  if (letters) return letters
  letters = findLetters(String.fromCodePoint(codePoint))
  if (known.size < MOST_KNOWN) known.set(codePoint, letters)
  return letters
}

function findLetters(character: string): readonly number[] {
  const folded = fold(character)
  const letters = folded.match(/[\p{L}\p{N}]/gu)
  if (letters) return letters.map((letter) => letter.codePointAt(0) as number)
  return folded === '' || /^(?:\p{M}+|['’ʼ])$/u.test(folded) ? INVISIBLE : NO_LETTERS
}
