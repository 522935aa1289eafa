import fc from 'fast-check'
import { expect, test } from 'vitest'
import { segmentsOf } from './segments.ts'

const finding = fc.record({ start: fc.integer({ min: -3, max: 60 }), end: fc.integer({ min: -3, max: 70 }) })

test('the segments together are the text, for any findings', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 50 }), fc.array(finding), (text, findings) => {
      const segments = segmentsOf(text, findings)
      expect(segments.map((segment) => segment.text).join('')).toBe(text)
    }),
  )
})

test('each position has exactly the findings that cover it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, maxLength: 50 }), fc.array(finding), (text, findings) => {
      const covered = segmentsOf(text, findings).flatMap((segment) =>
        [...segment.text].flatMap((character) =>
          Array.from({ length: character.length }, () => new Set(segment.findings)),
        ),
      )
      for (let place = 0; place < text.length; place++) {
        const expected = findings.filter(({ start, end }) => start >= 0 && start <= place && place < end)
        expect(covered[place]).toEqual(new Set(expected))
      }
    }),
  )
})

test('overlapping findings share segments', () => {
  const [one, other] = [
    { start: 0, end: 6 },
    { start: 4, end: 9 },
  ]
  expect(segmentsOf('abcdefghijk', [one, other])).toEqual([
    { start: 0, text: 'abcd', findings: [one] },
    { start: 4, text: 'ef', findings: [one, other] },
    { start: 6, text: 'ghi', findings: [other] },
    { start: 9, text: 'jk', findings: [] },
  ])
})
