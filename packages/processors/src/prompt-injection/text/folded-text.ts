import type { Prototype } from '../../unicode-normalizer/look-alikes.ts'
import { type FoldedWord, foldWord } from './folded-word.ts'
import { segment } from './lexicon.ts'

/** A text as its words, in the form in which an attack is looked for, with where each began in the original. */
export interface FoldedText {
  readonly words: readonly string[]
  /** In UTF-16 units of the original. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Whether a sentence, a line or a cell begins with the word. */
  readonly begins: readonly boolean[]
}

/** Longer words are judged in pieces. */
const LONGEST_WORD = 64

/** Letters that stand alone are joined after so many, so that a text of nothing else takes a bounded time. */
const MOST_LETTERS = 2_000

/**
 * Folds a text as an attacker would exploit that it is not: width, case, accents, invisible characters, look-alikes,
 * markup within words, leetspeak, letters spaced out, words run together.
 */
export function foldText(text: string, prototypeOf: Prototype): FoldedText {
  const words: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  const begins: boolean[] = []
  const known = new Map<string, FoldedWord>()
  let single = 0
  let isBegin = true

  function add(piece: string, start: number, end: number): void {
    words.push(piece)
    starts.push(start)
    ends.push(end)
    begins.push(isBegin)
    isBegin = false
  }

  /** Makes words of the letters that stand alone at the end. */
  function joinLetters(): void {
    const count = single
    single = 0
    if (count < 4) return
    const from = words.length - count
    const letters = words.splice(from)
    const [first, last] = [starts.splice(from), ends.splice(from)]
    const later = isBegin
    isBegin = begins.splice(from)[0] as boolean
    const gap = (index: number): number => (first[index] as number) - (last[index - 1] as number)
    let least = Number.POSITIVE_INFINITY
    for (let index = 1; index < count; index++) least = Math.min(least, gap(index))
    for (let index = 0, next = 1; index < count; index = next, next++) {
      while (next < count && gap(next) <= least) next++
      const joined = letters.slice(index, next).join('')
      for (const piece of segment(joined)) add(piece, first[index] as number, last[next - 1] as number)
    }
    isBegin = later
  }

  function take(start: number, end: number): void {
    const word = text.slice(start, end)
    let folded = known.get(word)
    if (!folded) {
      folded = foldWord(word, prototypeOf)
      known.set(word, folded)
    }
    const { pieces, places, isLetter, opens, closes } = folded
    if (!isLetter && single > 0) joinLetters()
    if (opens) isBegin = true
    for (let index = 0; index < pieces.length; index++) {
      const piece = pieces[index] as string
      if (!places || isLetter) add(piece, start, end)
      else add(piece, start + (places[index] as number), start + (places[index] as number) + piece.length)
    }
    if (closes) isBegin = true
    if (isLetter && ++single >= MOST_LETTERS) joinLetters()
  }

  let start = -1
  for (let place = 0; place <= text.length; place++) {
    const code = place < text.length ? text.charCodeAt(place) : 32
    if (isSpace(code)) {
      if (start >= 0) take(start, place)
      start = -1
      if (code === 10) isBegin = true
    } else if (start < 0) start = place
    else if (place - start >= LONGEST_WORD && !isTrail(code)) {
      take(start, place)
      start = place
    }
  }
  if (single > 0) joinLetters()
  return { words, starts, ends, begins }
}

/** White space that is seen; the zero-width no-break space is none. */
function isSpace(code: number): boolean {
  if (code <= 32) return code === 32 || (code >= 9 && code <= 13)
  if (code < 160) return false
  return (
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  )
}

/** The second half of a character that takes two units. */
function isTrail(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
