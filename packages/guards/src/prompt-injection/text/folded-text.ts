import { atOnce, type Task } from '../../guard/task.ts'
import type { Prototype } from '../../unicode-normalizer/look-alikes.ts'
import { type Meaning, meaningOf, wordFolder } from './folded-word.ts'
import { segment } from './lexicon.ts'

/** The folded words of a text, in the form in which attacks are searched, with their positions in the original. */
export interface FoldedText {
  readonly words: readonly string[]
  /** The word classes of each word: see `classesOf`. */
  readonly classes: readonly number[]
  /** The concept of each word: see `conceptsOf`. */
  readonly concepts: readonly number[]
  /** In UTF-16 units of the original. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
  /** Whether a sentence, a line or a cell begins with the word. */
  readonly begins: readonly boolean[]
}

/** A folded text together with the original. */
export interface ReadText extends FoldedText {
  readonly text: string
}

/** The maximum length of a word. Longer words are split. */
const LONGEST_WORD = 64

/** The maximum number of spaced letters that are joined at once, so that the cost is bounded. */
const MOST_LETTERS = 2_000

/** The number of UTF-16 units that are folded before yielding to the event loop. */
const STEP = 4_096

/**
 * Folds a text so that disguises make no difference: width, case, accents, invisible characters, look-alikes, markup
 * within words, leetspeak, spaced letters, words written together.
 */
export function foldText(text: string, prototypeOf: Prototype): FoldedText {
  return atOnce(foldInSteps(text, prototypeOf))
}

/** Like `foldText`, in steps that yield to the event loop. */
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

  /** Joins the spaced letters at the end of the list into words. */
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

/** Visible white space. Not the zero-width no-break space. */
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

/** A low surrogate. */
function isTrail(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
