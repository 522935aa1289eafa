import { expect, test } from 'vitest'
import { admits } from './caret-range.ts'

test.each([
  ['^0.2.0', '0.2.0', true],
  ['^0.2.0', '0.2.7', true],
  ['^0.2.3', '0.2.2', false],
  ['^0.2.0', '0.3.0', false],
  ['^0.2.0', '0.1.9', false],
  ['^0.2.0', '1.2.0', false],
  ['^0.0.3', '0.0.3', true],
  ['^0.0.3', '0.0.4', false],
  ['^1.2.0', '1.10.1', true],
  ['^1.2.5', '1.3.0', true],
  ['^1.2.0', '1.1.9', false],
  ['^1.2.0', '2.0.0', false],
])('%s and %s: %s', (range, version, expected) => {
  expect(admits(range, version)).toBe(expected)
})

test.each([
  ['workspace:^', '0.2.0'],
  ['>=0.2.0', '0.2.0'],
  ['^0.2.0', '0.2.0-next.1'],
])('refuses other forms: %s, %s', (range, version) => {
  expect(() => admits(range, version)).toThrow(/is no/)
})
