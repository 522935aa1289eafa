import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indexTerms, indexTermsBeginning, queryTerms } from './search-terms.ts'

test('removes case, diacritics and endings', () => {
  expect(indexTerms("The RUNNER's Crème brûlée, running — ran!")).toEqual([
    'the',
    'runner',
    'creme',
    'brule',
    'run',
    'ran',
  ])
  expect(indexTerms('ﬁle ＦＩＬＥ filing')).toEqual(['file', 'file', 'file'])
})

test('splits scripts without spaces into pairs of characters', () => {
  expect(indexTerms('東京タワー in 東')).toEqual(['東京', '京タ', 'タワ', 'ワー', 'in', '東'])
})

test('removes stop words from a query, unless there are no others', () => {
  expect(queryTerms('What is the deadline of the project?')).toEqual(['deadlin', 'project'])
  expect(queryTerms('Who are you?')).toEqual(['who', 'ar', 'you'])
  expect(queryTerms('?!')).toEqual([])
})

test('truncates very long words and very long queries', () => {
  expect(indexTerms('x'.repeat(100_000))).toEqual(['x'.repeat(40)])
  const query = Array.from({ length: 1_000 }, (_, index) => `word${index}`).join(' ')
  expect(queryTerms(query)).toHaveLength(64)
})

test('reads the beginning of a long text, and cuts it between words', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 6_000, maxLength: 8_000 }),
      fc.constantFrom(' ', ', ', '\u3000'),
      (words, space) => {
        const text = words.join(space)
        const terms = indexTerms(text)
        expect(terms).toEqual(words.slice(0, terms.length).flatMap((word) => indexTerms(word)))
        expect(terms.length).toBeLessThanOrEqual(4_096)
        const rest = words.slice(0, terms.length + 1).join(space).length
        expect(terms.length === 4_096 || terms.length === words.length || rest > 32_768 - 40).toBe(true)
      },
    ),
    { numRuns: 20 },
  )
  expect(indexTerms('東'.repeat(100_000))).toHaveLength(4_096)
})

test('returns the same terms for plain text, alone and among other scripts, cached or not', () => {
  const word = fc.oneof(
    fc.stringMatching(/^[ -~]{0,12}$/),
    fc.constantFrom("the mill's", 'mills', 'RUNNING', "don't"),
  )
  fc.assert(
    fc.property(fc.array(word), (words) => {
      const text = words.join(' ')
      const terms = indexTerms(text)
      expect(indexTerms(`${text} 東`)).toEqual([...terms, '東'])
      expect(indexTerms(text)).toEqual(terms)
    }),
  )
  const many = Array.from(
    { length: 30_000 },
    (_, index) => `mills${index.toString(26).replace(/[0-9]/g, 'q')}`,
  )
  const alone = many.map((text) => indexTerms(text))
  expect(many.map((text) => indexTerms(text))).toEqual(alone)
})

test('a term has only letters, digits and marks, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const term of indexTerms(text)) expect(term).toMatch(/^[\p{L}\p{N}\p{M}ー]{1,40}$/u)
    }),
  )
})

test('is fast for a megabyte of one word, of any script', () => {
  for (const letter of ['x', '東', '𠀀', 'ก', "a'", 'é', '\u0301']) {
    const terms = indexTerms(letter.repeat(1_000_000 / letter.length))
    expect(terms.length).toBeLessThan(1_000_000)
    expect(Math.max(...terms.slice(0, 10).map((term) => term.length))).toBeLessThanOrEqual(40)
  }
  expect(indexTerms('東'.repeat(300_000))).toHaveLength(4_096)
})

test('finds a text by each of its words', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const indexed = new Set(indexTerms(text))
      for (const term of queryTerms(text)) expect(indexed).toContain(term)
    }),
  )
})

test('finds the same in any composition of a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(indexTerms(text.normalize('NFD'))).toEqual(indexTerms(text.normalize('NFC')))
    }),
  )
})

test('returns only terms with some first characters, at the same positions', () => {
  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom(..."abingstey'018"), maxLength: 12 }),
    fc.string({ unit: 'grapheme' }),
  )
  fc.assert(
    fc.property(fc.array(word), fc.uniqueArray(fc.constantFrom(...'abingstey018')), (words, beginnings) => {
      const text = words.join(' ')
      const wanted = new Set(beginnings)
      const terms = indexTerms(text)
      const found = indexTermsBeginning(text, wanted)
      expect(found).toHaveLength(terms.length)
      for (const [index, term] of terms.entries()) {
        if (wanted.has(term[0] as string) || found[index] !== '') expect(found[index]).toBe(term)
      }
    }),
  )
})
