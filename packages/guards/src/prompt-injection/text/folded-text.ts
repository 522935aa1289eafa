import { atOnce, type Task } from '../../guard/task.ts'
import type { Prototype } from '../../unicode-normalizer/look-alikes.ts'
import { type Meaning, meaningOf, wordFolder } from './folded-word.ts'
import { segment } from './lexicon.ts'

/** A text as its words, in the form in which an attack is looked for, with where each began in the original. */
export interface FoldedText {
  readonly words: readonly string[]
  /** What each word may do: see `classesOf`. */
  readonly classes: readonly number[]
  /** What each word means: see `conceptsOf`. */
  readonly concepts: readonly number[]
  /** In UTF-16 units of the original. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Whether a sentence, a line or a cell begins with the word. */
  readonly begins: readonly boolean[]
}

/** A folded text with the original. */
export interface ReadText extends FoldedText {
  readonly text: string
}

/** Longer words are judged in pieces. */
const LONGEST_WORD = 64

/** Letters that stand alone are joined after so many, so that a text of nothing else takes a bounded time. */
const MOST_LETTERS = 2_000

/** What is folded at once, in UTF-16 units. */
const STEP = 4_096

/**
 * Folds a text as an attacker would exploit that it is not: width, case, accents, invisible characters, look-alikes,
 * markup within words, leetspeak, letters spaced out, words run together.
 */
export function foldText(text: string, prototypeOf: Prototype): FoldedText {
  return atOnce(foldInSteps(text, prototypeOf))
}

/** The same, in steps between which other work may go first. */
export function* foldInSteps(text: string, prototypeOf: Prototype): Task<FoldedText> {
  const foldWord = wordFolder(prototypeOf)
  const words: string[] = []
  const classes: number[] = []
  const concepts: number[] = []
  const starts: number[] = []
  const ends: number[] = []
  const begins: boolean[] = []
  let single = 0
  let isBegin = true

  function add(piece: Meaning, start: number, end: number): void {
    words.push(piece.word)
    classes.push(piece.classes)
    concepts.push(piece.concept)
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
    classes.splice(from)
    concepts.splice(from)
    const [first, last] = [starts.splice(from), ends.splice(from)]
    const later = isBegin
    isBegin = begins.splice(from)[0] as boolean
    const gap = (index: number): number => (first[index] as number) - (last[index - 1] as number)
    let least = Number.POSITIVE_INFINITY
    for (let index = 1; index < count; index++) least = Math.min(least, gap(index))
    for (let index = 0, next = 1; index < count; index = next, next++) {
      while (next < count && gap(next) <= least) next++
      const joined = letters.slice(index, next).join('')
      for (const piece of segment(joined))
        add(meaningOf(piece), first[index] as number, last[next - 1] as number)
    }
    isBegin = later
  }

  function take(start: number, end: number): void {
    const { pieces, isLetter, opens, closes } = foldWord(text.slice(start, end))
    if (!isLetter && single > 0) joinLetters()
    if (opens) isBegin = true
    for (const piece of pieces) {
      if (piece.opens) isBegin = true
      add(piece, start + piece.start, start + piece.end)
    }
    if (closes) isBegin = true
    if (isLetter && ++single >= MOST_LETTERS) joinLetters()
  }

  let start = -1
  for (let place = 0; place <= text.length; place++) {
    if (place % STEP === STEP - 1) yield STEP
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
  return { words, classes, concepts, starts, ends, begins }
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
