import { expect, test } from 'vitest'
import { evaluate } from './arithmetic.ts'

test.each([
  ['12 * (3 + 4)', 84],
  ['2 + 3 * 4 - 5', 9],
  ['-2 ^ 2', -4],
  ['2 ^ 3 ^ 2', 512],
  ['2 ^ -1', 0.5],
  ['8 / 4 / 2', 1],
  ['.5 + 0.1 + 0.2', 0.8],
  ['--3', 3],
])('%s is %d', (expression, value) => {
  expect(evaluate(expression)).toBe(value)
})

test.each(['', '2 +', '2 3', '(1', '1)', 'two', '1 % 2', 'process.exit()'])(
  'refuses the invalid expression %j',
  (expression) => {
    expect(() => evaluate(expression)).toThrow(SyntaxError)
  },
)

test('refuses an expression without a finite value', () => {
  expect(() => evaluate('1 / 0')).toThrow(RangeError)
})
