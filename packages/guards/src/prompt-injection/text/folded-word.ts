import type { Prototype } from '../../unicode-normalizer/look-alikes.ts'
import { conceptsOf } from './concepts.ts'
import { KnownWords } from './known-words.ts'
import { readLeetspeak } from './leetspeak.ts'
import { classesOf, isKnownWord, segment } from './lexicon.ts'
import { spelledOut } from './misspelling.ts'
import { isUnspaced, unicodeWords } from './unicode-words.ts'

/** One folded token: the text between two white spaces. */
export interface FoldedWord {
  readonly pieces: readonly Piece[]
  /** Whether it is a single letter: several in a row may spell a word. */
  readonly isLetter: boolean
  /** Whether a sentence or cell begins with the token, or after it. */
  readonly opens: boolean
  readonly closes: boolean
}

/** The properties of a word that do not depend on its position. */
export interface Meaning {
  readonly word: string
  /** Its word classes: see `classesOf`. */
  readonly classes: number
  /** Its concept: see `conceptsOf`. */
  readonly concept: number
}

/** A word of the folded text. */
interface Piece extends Meaning {
  /** Whether a sentence or cell begins with it, within the token. */
  readonly opens: boolean
  /** Its position in the token; the whole token if the position is unknown. */
  readonly start: number
  readonly end: number
}

const ASCII = /^[\0-\x7f]*$/
/**
 * Invisible characters: zero-width, bidi and other format characters, selectors, fillers, controls, overlaid strokes.
 */
const INVISIBLE = /(?:[\p{Cf}\p{Cc}\p{Variation_Selector}\u115f\u1160\u3164\uffa0]|\u034f|[\u0334-\u0338])+/gu

const TAG = /<\/?[a-z][^<>\s]{0,40}>/g
const MARKUP = /(?<=[a-z])[*`~]{1,3}(?=[a-z])/g
/** ASCII and common punctuation: only the case has to be folded. */
const PLAIN_MARKS = /^[\x21-\x7e‘’“”–—]*$/
/** Letters with a stroke or without a dot, which have no Unicode decomposition. */
const PLAIN: Readonly<Record<string, string>> = {
  ł: 'l',
  ı: 'i',
  ø: 'o',
  đ: 'd',
  Ł: 'l',
  İ: 'i',
  Ø: 'o',
  Đ: 'd',
}

/**
 * Letters drawn as symbols, which have no Unicode decomposition: negative squared and circled letters, and regional
 * indicators.
 */
const SYMBOLS = /[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu

/** Fast path for most words: nothing to fold, and too short to be several words. */
const PLAINEST = /^[A-Za-z]{1,9}[,.;:?!]?$/
/** All but the comma end a sentence. */
const MARKS = ',.;:?!'

const LETTER = /^\p{L}$/u
const CLOSING = /[.!?:;。！？।؟|>][\])}"'”’»*_]{0,3}$/
/** Ends a sentence or a cell without a space: in scripts without spaces, in lists of values. */
const WITHIN = /[。！？；，：,;|\t"“”「」{}[\]<>]/
const OPENING = /^(?:["'“«„(*#|<-]|\d{1,2}[.)])/

const KNOWN = new WeakMap<Prototype, KnownWords<FoldedWord>>()

export function meaningOf(word: string): Meaning {
  return { word, classes: classesOf(word), concept: conceptsOf([word], word)[0] as number }
}

/** Returns a function that folds the tokens of one text. */
export function wordFolder(prototypeOf: Prototype): (word: string) => FoldedWord {
  const known = KNOWN.get(prototypeOf) ?? new KnownWords<FoldedWord>()
  KNOWN.set(prototypeOf, known)
  return known.inText((word) => foldWord(word, prototypeOf))
}

function foldWord(word: string, prototypeOf: Prototype): FoldedWord {
  if (PLAINEST.test(word)) {
    const mark = MARKS.indexOf(word.at(-1) as string)
    const plain = (mark < 0 ? word : word.slice(0, -1)).toLowerCase()
    const isLetter = plain.length === 1
    const end = isLetter ? word.length : plain.length
    const piece = { ...meaningOf(spelledOut(plain)), opens: false, start: 0, end }
    return { pieces: [piece], isLetter, opens: false, closes: mark > 0 }
  }
  const { words, places } = fold(word, prototypeOf)
  const first = words[0] ?? ''
  const isLetter = words.length === 1 && first.length <= 2 && LETTER.test(first) && !isUnspaced(first)
  const meant = words.map(spelledOut)
  const concepts = conceptsOf(meant, word)
  let endBefore = 0
  const pieces = words.map((each, index): Piece => {
    const start = isLetter ? undefined : places?.[index]
    const [from, to] = start === undefined ? [0, word.length] : [start, start + each.length]
    const before = start === undefined || index === 0 ? '' : word.slice(endBefore, start)
    endBefore = to
    const own = meant[index] as string
    return {
      word: own,
      classes: classesOf(own),
      concept: concepts[index] as number,
      opens: before !== '' && WITHIN.test(before),
      start: from,
      end: to,
    }
  })
  return { pieces, isLetter, opens: OPENING.test(word), closes: CLOSING.test(word) }
}

interface Words {
  readonly words: readonly string[]
  /** Their positions, if known. */
  readonly places: readonly number[] | undefined
}

function fold(word: string, prototypeOf: Prototype): Words {
  const isPlain = PLAIN_MARKS.test(word)
  let text = (isPlain ? word : foldUnicode(word, prototypeOf)).toLowerCase()
  if (text.includes('<')) text = text.replace(TAG, '')
  text = readLeetspeak(text.replace(MARKUP, ''), isKnownWord)
  const { words, places } = isPlain || ASCII.test(text) ? asciiWords(text) : unicodeWords(text)
  // Spelled with punctuation: i.g.n.o.r.e
  if (words.length > 3 && words.every((each) => each.length === 1 && /[a-z]/.test(each))) {
    return { words: segment(words.join('')), places: undefined }
  }
  const segments = words.flatMap(segment)
  const isInPlace = segments.length === words.length && text.length === word.length
  return { words: segments, places: isInPlace ? places : undefined }
}

/** Removes invisible characters, and replaces equivalent and look-alike letters by plain ones. */
function foldUnicode(word: string, prototypeOf: Prototype): string {
  const text = word
    .replace(INVISIBLE, '')
    .replace(SYMBOLS, letterOf)
    .normalize('NFKD')
    .replace(/([A-Za-z\p{Script=Greek}])\p{M}+/gu, '$1')
    .normalize('NFC')
    .replace(/[łıøđŁİØĐ]/g, (letter) => PLAIN[letter] ?? letter)
  return /[A-Za-z]/.test(text) && !ASCII.test(text) ? unifyLookAlikes(text, prototypeOf) : text
}

function letterOf(symbol: string): string {
  const code = symbol.codePointAt(0) as number
  const first = code >= 0x1f1e6 ? 0x1f1e6 : code >= 0x1f170 ? 0x1f170 : 0x1f150
  return String.fromCharCode(97 + code - first)
}

function asciiWords(text: string): Words {
  const words: string[] = []
  const places: number[] = []
  let start = -1
  for (let place = 0; place <= text.length; place++) {
    if (isLetterOrDigit(text.charCodeAt(place))) {
      if (start < 0) start = place
    } else if (start >= 0) {
      words.push(text.slice(start, place))
      places.push(start)
      start = -1
    }
  }
  return { words, places }
}

/** False for NaN, which `charCodeAt` returns past the end. */
function isLetterOrDigit(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57)
}

/** Only in words that also have ASCII letters, so that words of another script are unchanged. */
function unifyLookAlikes(text: string, prototypeOf: Prototype): string {
  return text.replace(/[\p{L}\p{M}\p{N}_]+/gu, (word) => {
    if (!/[A-Za-z]/.test(word)) return word
    let out = ''
    for (const character of word) out += character <= '\x7f' ? character : prototypeOf(character)
    if (CYRILLIC.test(out)) return inLetters(word, LATIN_AS_CYRILLIC)
    return GREEK.test(out) ? inLetters(word, LATIN_AS_GREEK) : out
  })
}

/** A remaining letter of these scripts has no ASCII look-alike, so the word is written in that script. */
const CYRILLIC = /\p{Script=Cyrillic}/u
const GREEK = /\p{Script=Greek}/u

const LATIN_AS_CYRILLIC = lettersLike('abcehikmoprtxyABCEHIKMOPTXY', 'аьсенікморгтхуАВСЕНІКМОРТХУ')
const LATIN_AS_GREEK = lettersLike('abehiknopuvxyABEHIKMNOPTXYZ', 'αβεηικηορυνχγΑΒΕΗΙΚΜΝΟΡΤΧΥΖ')

function lettersLike(latin: string, others: string): ReadonlyMap<string, string> {
  return new Map(Array.from(others, (other, index) => [latin[index] as string, other]))
}

function inLetters(word: string, letters: ReadonlyMap<string, string>): string {
  return Array.from(word, (character) => letters.get(character) ?? character).join('')
}
