import fc from 'fast-check'
import { expect, test } from 'vitest'
import { differenceOf } from './text-difference.ts'

test('a difference contains both texts', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      const parts = differenceOf(before, after)
      const side = (other: string) =>
        parts
          .filter(({ type }) => type !== other)
          .map(({ text }) => text)
          .join('')
      expect([side('added'), side('removed')]).toEqual([before, after])
    }),
  )
})

test('unchanged words are not marked as changed', () => {
  expect(differenceOf('The chain is worn.', 'The chain is new.')).toEqual([
    { type: 'same', text: 'The chain is ' },
    { type: 'removed', text: 'worn' },
    { type: 'added', text: 'new' },
    { type: 'same', text: '.' },
  ])
})

test('texts that are too long are shown whole', () => {
  const [before, after] = ['a '.repeat(20_000), 'b '.repeat(20_000)]
  expect(differenceOf(before, after).map(({ type }) => type)).toEqual(['removed', 'added'])
})
