import { fold } from '../keyword-guard/fold.ts'
import type { CharacterReader } from './form-reader.ts'
import { leetSign } from './leet.ts'

/** Receives the letters of a text. Positions are those of the original text, in UTF-16 units. */
export interface LetterSink {
  /** @param afterGap Whether the character before it is not a letter */
  letter(letter: number, start: number, end: number, afterGap: boolean): void
  /** Called for visible characters between letters: spaces, punctuation. */
  gap(): void
  /**
   * Called for a sign next to a letter that may stand for the letter it looks like. A call of `gap` follows, and a
   * second one if the word ends with the sign.
   */
  sign?(letter: number, start: number, end: number, afterGap: boolean): void
  /** Called when the text before and the text after are unrelated. */
  reset?(): void
}

interface Unit {
  readonly codePoint: number
  readonly start: number
  readonly end: number
}

/** The maximum number of digits of a list marker, and of letters of a tag name. */
const MOST_DIGITS = 2
const MOST_TAG_LETTERS = 10
/** The maximum number of consecutive signs that are read as letters. */
const MOST_SIGNS = 4

/**
 * Reduces a text to letters and digits, so that case, width, accents, spacing, punctuation, markup and invisible
 * characters make no difference. Numbers of list items and names of tags (`<li>`) are skipped.
 */
export class LetterReader implements CharacterReader {
  readonly #sink: LetterSink
  #afterGap = true
  /** The two previous code points. */
  #previous = SPACE
  #beforePrevious = SPACE
  /** Characters that may be the number of a list item, the name of a tag, or signs that stand for letters. */
  #held: Unit[] = []
  #heldKind: 'number' | 'marker' | 'tag' | 'signs' = 'tag'

  constructor(sink: LetterSink) {
    this.#sink = sink
  }

  /** The start of the characters that are held because their meaning is not known yet. */
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

  /** Ends the text. */
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

  /** Whether the character continues the held characters. If not, drops them or passes them on. */
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

  /** Ends the held signs: next to a letter, they may stand for letters. */
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
    // The word ends here, also if the signs are its last letters.
    if (areLetters && !isBeforeLetter) this.#sink.gap()
  }

  /** Passes the held characters on as plain text. */
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

/** Characters that are skipped without a gap: invisible ones, combining marks, apostrophes. */
export const INVISIBLE: readonly number[] = []
const NO_LETTERS: readonly number[] = []

/** The folded letters and digits of ASCII; 0 for all other characters. */
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
