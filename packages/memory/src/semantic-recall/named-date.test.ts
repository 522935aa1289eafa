import { expect, test } from 'vitest'
import { fitsDate, namedDate } from './named-date.ts'

test.each([
  ['What did I do on 8 May 2023?', { year: 2023, month: 5, day: 8 }],
  ['on May 8th, 2023', { year: 2023, month: 5, day: 8 }],
  ['the 21st of June', { month: 6, day: 21 }],
  ['in may 2022', { year: 2022, month: 5 }],
  ['March 2024', { year: 2024, month: 3 }],
  ['in 2021', { year: 2021 }],
  ['2026-04-03', { year: 2026, month: 4, day: 3 }],
  ['am 3.4.2026', { year: 2026, month: 4, day: 3 }],
  ['Was war am 8. März?', { month: 3, day: 8 }],
  ['¿Qué hice el 3 de agosto de 2023?', { year: 2023, month: 8, day: 3 }],
  ['le 14 juillet', { month: 7, day: 14 }],
  ['8 мая 2023 года', { year: 2023, month: 5, day: 8 }],
  ['3 Mayıs 2024', { year: 2024, month: 5, day: 3 }],
  ['2023年5月8日に何を', { year: 2023, month: 5, day: 8 }],
  ['5월 8일', { month: 5, day: 8 }],
])('reads the date of %s', (text, date) => {
  expect(namedDate(text)).toEqual({ year: undefined, month: undefined, day: undefined, ...date })
})

test.each(['', 'May I ask?', 'It may rain', 'room 12', 'mar e sol', 'the 8th', '12345-67'])(
  'finds no date in %j',
  (text) => {
    expect(namedDate(text)).toBeUndefined()
  },
)

test('the same day scores best, then the same month, then the same year; other years score 0', () => {
  const date = { year: 2026, month: 5, day: 8 }
  const fits = ['2026-05-08T10:00Z', '2026-05-20T10:00Z', '2026-06-08T10:00Z', '2025-05-08T10:00Z'].map(
    (time) => fitsDate(new Date(time), date),
  )
  expect(fits).toEqual([1, 0.5, 0, 0])
  expect(fitsDate(new Date('2026-01-01'), { year: 2026, month: undefined, day: undefined })).toBeGreaterThan(
    0,
  )
})

test('adjacent days match too, because of time zones', () => {
  const date = { year: undefined, month: 5, day: 8 }
  expect(fitsDate(new Date('2026-05-07T23:00Z'), date)).toBe(1)
  expect(fitsDate(new Date('2026-05-09T03:00Z'), date)).toBe(1)
})
