import { expect, test } from 'vitest'
import { formatCost, formatDuration, plural, tokenTotal } from './numbers.ts'

test.each([
  [0, '0 ms'],
  [0.04, '0 ms'],
  [0.44, '0.4 ms'],
  [12.6, '13 ms'],
  [999.4, '999 ms'],
  [999.6, '1 s'],
  [1_240, '1.24 s'],
  [59_940, '59.9 s'],
  [59_999, '1 m 00 s'],
  [123_000, '2 m 03 s'],
  [7_500_000, '2 h 05 m'],
])('%d milliseconds are %s', (milliseconds, text) => {
  expect(formatDuration(milliseconds)).toBe(text)
})

test.each([
  [{ amount: 0, currency: 'USD' }, '$0.00'],
  [{ amount: 0.0042, currency: 'USD' }, '$0.0042'],
  [{ amount: 0.00000004, currency: 'USD' }, '$0.000000'],
  [{ amount: 12.345, currency: 'EUR', partial: true }, '≥ €12.35'],
  // Prices are set by hand, so the currency may not be a currency code.
  [{ amount: 3, currency: 'credits' }, '3.00'],
])('%o costs %s', (cost, text) => {
  expect(formatCost(cost)).toBe(text)
})

test('adds up tokens if only parts are known', () => {
  expect(tokenTotal({ totalTokens: 7, inputTokens: 1 })).toBe(7)
  expect(tokenTotal({ inputTokens: 3, outputTokens: 4 })).toBe(7)
  expect(tokenTotal({ outputTokens: 4 })).toBe(4)
  expect(tokenTotal({})).toBeUndefined()
})

test('one is singular', () => {
  expect([plural(0, 'step'), plural(1, 'step'), plural(2_000, 'step')]).toEqual([
    '0 steps',
    '1 step',
    '2,000 steps',
  ])
})
