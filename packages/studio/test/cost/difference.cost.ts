import { growthOf, QUADRATIC } from '@millrace/testing/growth'
import { expect, test } from 'vitest'
import { differenceOf } from '../../src/view/difference.ts'

test('compares completely different texts in linear time', () => {
  const words = (letter: string, length: number): string =>
    Array.from({ length: length / 6 }, (_, index) => `${letter}${index}`).join(' ')
  expect(growthOf((length) => differenceOf(words('a', length), words('b', length)))).toBeLessThan(QUADRATIC)
})
