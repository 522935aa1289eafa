import fc from 'fast-check'
import { DataSet, englishDataset, englishRecommendedTransformers, RegExpMatcher } from 'obscenity'
import { expect, test } from 'vitest'
import { wordSweep } from './word-sweep.ts'

const { blacklistedTerms } = new DataSet<{ originalWord: string }>().addAll(englishDataset).build()
const { blacklistMatcherTransformers = [] } = englishRecommendedTransformers
const sweep = wordSweep(blacklistedTerms, blacklistMatcherTransformers)
const matcher = new RegExpMatcher({ blacklistedTerms, ...englishRecommendedTransformers })

test.each([
  'a slut',
  'a $lut',
  'a sssllluuut',
  'a ｓlut',
  'a 𝐬lut',
  'nothing',
  '',
  '\ud835',
  'a.b'.repeat(5_000),
])('finds what the matcher finds: %j', (text) => {
  expect(sweep(text)).toBe(matcher.hasMatch(text))
})

test('finds a word after thousands of others', () => {
  expect(sweep(`${'harmless '.repeat(2_000)}slut`)).toBe(true)
})

test('agrees with the matcher for any text', () => {
  const pieces = [
    's',
    'l',
    'u',
    't',
    '$',
    '1',
    '|',
    'ｓ',
    '𝐭',
    '𝓾',
    'bit',
    'ch',
    ' ',
    'p0',
    'rn',
    'an',
    'al',
    '!',
    '\n',
    'é',
    '\ud835',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 24 }), (some) => {
      const text = some.join('')
      expect(sweep(text)).toBe(matcher.hasMatch(text))
    }),
    { numRuns: 2_000 },
  )
})
