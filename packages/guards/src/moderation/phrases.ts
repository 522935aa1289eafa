import { Scanner } from '../scanner/scanner.ts'
import type { ModerationCategory } from './categories.ts'
import { ENGLISH_PHRASES } from './english-phrases.ts'
import { OTHER_PHRASES } from './other-phrases.ts'

/** The score of a phrase. */
const SCORE = 0.8

/** Letters without a Unicode decomposition. */
const PLAIN: Readonly<Record<string, string>> = { ı: 'i', ł: 'l', ø: 'o' }

/** Removes the accents of Latin and Cyrillic letters from a folded text. */
function withoutAccents(folded: string): string {
  return folded
    .replace(/(?<=[a-z\u0430-\u044f])[\u0300-\u036f]+/g, '')
    .replace(/[ıłø]/g, (letter) => PLAIN[letter] ?? letter)
}

/** Loads the phrases. Returns a function that finds them in a folded text. */
export async function phraseFinder(): Promise<
  (text: string) => { category: ModerationCategory; score: number }[]
> {
  const phrases = [...ENGLISH_PHRASES, ...OTHER_PHRASES]
  const scanner = await Scanner.load(phrases.map(({ category, pattern }) => ({ type: category, pattern })))
  return (text) =>
    scanner
      .detect(withoutAccents(text))
      .map(({ type }) => ({ category: type as ModerationCategory, score: SCORE }))
}
