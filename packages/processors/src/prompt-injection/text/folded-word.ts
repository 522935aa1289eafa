import type { Prototype } from '../../unicode-normalizer/look-alikes.ts'
import { readLeetspeak } from './leetspeak.ts'
import { isKnownWord, segment } from './lexicon.ts'

/** What stands between two white spaces, folded. */
export interface FoldedWord {
  readonly pieces: readonly string[]
  /** Where each piece begins in the word, where that can be told. */
  readonly places?: readonly number[]
  /** Whether it is one letter, of which several may be a word spelled out. */
  readonly isLetter: boolean
  /** Whether a sentence or cell begins with the word, or after it. */
  readonly opens: boolean
  readonly closes: boolean
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const PIECES = new RegExp(`${UNSPACED.source}|(?:(?!${UNSPACED.source})[\\p{L}\\p{M}\\p{N}])+`, 'gu')
/** What is not seen: zero-width, bidi and other format characters, selectors, fillers, controls, overlaid strokes. */
const INVISIBLE = /(?:[\p{Cf}\p{Cc}\p{Variation_Selector}\u115f\u1160\u3164\uffa0]|\u034f|[\u0334-\u0338])+/gu

const ASCII_PIECES = /[a-z0-9]+/g
const TAG = /<\/?[a-z][^<>\s]{0,40}>/g
/** Letters with a stroke or without a dot, which have no decomposition. */
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

/** One word, with marks before and after it. */
const SIMPLE = /^["'([{]{0,4}[a-z]+["')\]}.,:;?]{0,4}$/

/** Most words of most texts: nothing to fold, and too short to be several. */
const PLAINEST = /^[A-Za-z]{1,9}[,.;:?!]?$/
/** A sentence ends with any but the first. */
const MARKS = ',.;:?!'
const FIRST: readonly number[] = [0]

const LETTER = /^\p{L}$/u
const CLOSING = /[.!?:;。！？।؟|>][\])}"'”’»*_]{0,3}$/
const OPENING = /^(?:["'“«„(*#|<-]|\d{1,2}[.)])/

export function foldWord(word: string, prototypeOf: Prototype): FoldedWord {
  if (PLAINEST.test(word)) {
    const mark = MARKS.indexOf(word.at(-1) as string)
    const piece = (mark < 0 ? word : word.slice(0, -1)).toLowerCase()
    return { pieces: [piece], places: FIRST, isLetter: piece.length === 1, opens: false, closes: mark > 0 }
  }
  const folded = fold(word, prototypeOf)
  const [first] = folded.pieces
  const isLetter =
    folded.pieces.length === 1 && LETTER.test(first as string) && !UNSPACED.test(first as string)
  return { ...folded, isLetter, opens: OPENING.test(word), closes: CLOSING.test(word) }
}

function fold(word: string, prototypeOf: Prototype): Pick<FoldedWord, 'pieces' | 'places'> {
  let text = word
  if (!/^[\x21-\x7e]*$/.test(text)) {
    text = text.replace(INVISIBLE, '').normalize('NFKD')
    text = text.replace(/([A-Za-z\p{Script=Greek}])\p{M}+/gu, '$1').normalize('NFC')
    text = text.replace(/[łıøđŁİØĐ]/g, (letter) => PLAIN[letter] ?? letter)
    if (/[A-Za-z]/.test(text) && /[^\0-\x7f]/.test(text)) text = unifyLookAlikes(text, prototypeOf)
  }
  text = text.toLowerCase()
  if (SIMPLE.test(text)) return simpleWord(text)
  text = text.replace(TAG, '')
  text = text.replace(/(?<=[a-z])[*`~]{1,3}(?=[a-z])/g, '')
  if (/^[a-z]+$/.test(text)) return { pieces: segment(text) }
  if (/[a-z]/.test(text)) {
    const inner = /[a-z0-9@$!|+]+/g
    if (/[013-578@$!|+]/.test(text)) text = text.replace(inner, (each) => readLeetspeak(each, isKnownWord))
  }
  const matches = [...text.matchAll(/^[\0-\x7f]*$/.test(text) ? ASCII_PIECES : PIECES)]
  const pieces = matches.map(([piece]) => piece)
  // i.g.n.o.r.e
  if (pieces.length > 3 && pieces.every((piece) => piece.length === 1 && /[a-z]/.test(piece))) {
    return { pieces: segment(pieces.join('')) }
  }
  const segments = pieces.flatMap((piece) => segment(piece))
  if (segments.length !== pieces.length || text.length !== word.length) return { pieces: segments }
  return { pieces, places: matches.map(({ index }) => index) }
}

function simpleWord(text: string): Pick<FoldedWord, 'pieces' | 'places'> {
  const place = text.search(/[a-z]/)
  const pieces = segment(text.replace(/[^a-z]+/g, ''))
  return pieces.length === 1 && text.length > 2 ? { pieces, places: [place] } : { pieces }
}

/** In words that also have ASCII letters, so that text in another script stays. */
function unifyLookAlikes(text: string, prototypeOf: Prototype): string {
  return text.replace(/[\p{L}\p{M}\p{N}_]+/gu, (word) => {
    if (!/[A-Za-z]/.test(word)) return word
    let out = ''
    for (const character of word) out += character <= '\x7f' ? character : prototypeOf(character)
    return out
  })
}
