import { expect, test } from 'vitest'
import { formatAgo } from './times.ts'

test.each([
  [0, 'now'],
  [-5, '5s ago'],
  [-59, '59s ago'],
  [-61, '1m ago'],
  [-7_300, '2h ago'],
  [7_300, 'in 2h'],
  [-90_000, 'yesterday'],
])('%d seconds from now', (seconds, text) => {
  const now = Date.UTC(2026, 10, 23)
  expect(formatAgo(now + seconds * 1_000, now)).toBe(text)
})

test('a time more than a week away is a date', () => {
  const now = Date.UTC(2026, 10, 23, 12)
  expect(formatAgo(now - 30 * 86_400_000, now)).toBe('Oct 24, 2026')
})
