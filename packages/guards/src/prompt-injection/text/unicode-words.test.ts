import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isUnspaced, unicodeWords } from './unicode-words.ts'

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const RUNS = new RegExp(`${UNSPACED.source}+|[[\\p{L}\\p{M}\\p{N}]--${UNSPACED.source}]+`, 'gv')

/** What the words of a text are, by an expression. */
function wordsByExpression(text: string): { words: string[]; places: number[] } {
  const words: string[] = []
  const places: number[] = []
  for (const { 0: run, index } of text.matchAll(RUNS)) {
    let place = index
    for (const word of UNSPACED.test(run) ? run : [run]) {
      words.push(word)
      places.push(place)
      place += word.length
    }
  }
  return { words, places }
}

const pieces = fc.constantFrom(
  'a',
  'é',
  'ignore',
  '無視',
  'する',
  'ไม่',
  '1',
  ' ',
  '-',
  '𠀋',
  '😀',
  '\ud842',
  '\udc0b',
  'カﾞ',
)

test('finds the same words as a regular expression', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(pieces).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(texts, (text) => {
      const found = unicodeWords(text)
      expect(found).toEqual(wordsByExpression(text))
      for (const word of found.words) expect(isUnspaced(word)).toBe(UNSPACED.test(word))
    }),
    { numRuns: 2_000 },
  )
})
