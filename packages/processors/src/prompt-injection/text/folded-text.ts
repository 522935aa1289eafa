import type { Prototype } from '../../unicode-normalizer/look-alikes.ts'
import { readLeetspeak } from './leetspeak.ts'
import { isKnownWord, segment } from './lexicon.ts'

/** A text as its words, in the form in which an attack is looked for, with where each began in the original. */
export interface FoldedText {
  readonly words: readonly string[]
  /** In UTF-16 units of the original. */
  readonly starts: readonly number[]
  readonly ends: readonly number[]
}

/** Longer words are judged in pieces. */
const LONGEST_WORD = 64

/** Zero-width no-break spaces count as white space to regular expressions, but nobody sees them. */
const WORD = new RegExp(`[^\\s]{1,${LONGEST_WORD}}(?:\\ufeff[^\\s]{1,${LONGEST_WORD}}){0,16}`, 'g')
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

const LETTER = /^\p{L}$/u

/**
 * Folds a text as an attacker would exploit that it is not: width, case, accents, invisible characters, look-alikes,
 * markup within words, leetspeak, letters spaced out, words run together.
 */
export function foldText(text: string, prototypeOf: Prototype): FoldedText {
  const words: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  const known = new Map<string, FoldedWord>()
  let single = 0

  /** Makes words of the letters that stand alone at the end. */
  function joinLetters(): void {
    const count = single
    single = 0
    if (count < 4) return
    const from = words.length - count
    const gaps = Array.from({ length: count - 1 }, (_, index) => gapBefore(from + index + 1))
    const least = gaps.reduce((least, gap) => Math.min(least, gap), Number.POSITIVE_INFINITY)
    const joined: [string, number, number][] = []
    for (let index = from; index < words.length; index++) {
      const last = joined.at(-1)
      if (last && gapBefore(index) <= least) {
        last[0] += words[index]
        last[2] = ends[index] as number
      } else joined.push([words[index] as string, starts[index] as number, ends[index] as number])
    }
    words.length = starts.length = ends.length = from
    for (const [word, start, end] of joined) add(segment(word), start, end)
  }

  function gapBefore(index: number): number {
    return (starts[index] as number) - (ends[index - 1] as number)
  }

  function add(pieces: readonly string[], start: number, end: number): void {
    for (const piece of pieces) {
      words.push(piece)
      starts.push(start)
      ends.push(end)
    }
  }

  for (const { 0: word, index } of text.matchAll(WORD)) {
    let folded = known.get(word)
    if (!folded) {
      folded = foldWord(word, prototypeOf)
      known.set(word, folded)
    }
    const { pieces, places } = folded
    const isLetter =
      pieces.length === 1 && LETTER.test(pieces[0] as string) && !UNSPACED.test(pieces[0] as string)
    if (!isLetter && single > 0) joinLetters()
    if (!places || isLetter) add(pieces, index, index + word.length)
    else {
      for (let piece = 0; piece < pieces.length; piece++) {
        const start = index + (places[piece] as number)
        add([pieces[piece] as string], start, start + (pieces[piece] as string).length)
      }
    }
    if (isLetter && ++single >= 2_000) joinLetters()
  }
  if (single > 0) joinLetters()
  return { words, starts, ends }
}

interface FoldedWord {
  readonly pieces: readonly string[]
  /** Where each piece begins in the word, where that can be told. */
  readonly places?: readonly number[]
}

function foldWord(word: string, prototypeOf: Prototype): FoldedWord {
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

function simpleWord(text: string): FoldedWord {
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
