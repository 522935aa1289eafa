import fc from 'fast-check'
import { expect, test } from 'vitest'
import { WordIndex } from './word-index.ts'

test('scores as Okapi BM25 does', () => {
  const index = new WordIndex<string>()
  index.add('a', 'mill mill river')
  index.add('b', 'river')
  index.add('c', 'hat coat')
  // Two of three documents have "river"; the average length is 2.
  const weight = Math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
  const share = (frequency: number, length: number) =>
    (frequency * 1.9) / (frequency + 0.9 * (0.6 + 0.4 * (length / 2)))
  const scores = index.search(['river'])
  expect([...scores.keys()].toSorted()).toEqual(['a', 'b'])
  expect(scores.get('a')).toBeCloseTo(weight * share(1, 3), 10)
  expect(scores.get('b')).toBeCloseTo(weight * share(1, 1), 10)
  const both = index.search(['mill', 'river'])
  expect(both.get('a')).toBeCloseTo(Math.log(1 + 2.5 / 1.5) * share(2, 3) + weight * share(1, 3), 10)
  expect(index.search(['umbrella'])).toEqual(new Map())
  expect(index.search([])).toEqual(new Map())
})

test('scores after a removal as if the document had never been added', () => {
  const terms = fc
    .array(fc.constantFrom('red', 'blue', 'mill', 'river'), { maxLength: 6 })
    .map((list) => list.join(' '))
  fc.assert(
    fc.property(fc.array(fc.tuple(terms, fc.boolean()), { maxLength: 12 }), (documents) => {
      const [index, fresh] = [new WordIndex<number>(), new WordIndex<number>()]
      for (const [document, [text]] of documents.entries()) index.add(document, text)
      for (const [document, [text, stays]] of documents.entries()) {
        if (stays) fresh.add(document, text)
        else index.remove(document, text)
      }
      for (const query of [['red'], ['mill', 'river'], ['red', 'blue', 'mill', 'river']]) {
        expect(index.search(query)).toEqual(fresh.search(query))
      }
    }),
  )
})

test('ignores the removal of an unknown document', () => {
  const index = new WordIndex<string>()
  index.remove('a', 'red')
  index.add('a', '')
  index.remove('a', '')
  expect(index.search(['red', ''])).toEqual(new Map())
})
