import { expect, test } from 'vitest'
import { parseAnswer } from './parse-answer.ts'

test.each([
  ['{"year": 2026}', { value: { year: 2026 }, isJson: true }],
  ['true', { value: true, isJson: true }],
  ['"2026"', { value: '2026', isJson: true }],
  ['the year 2026', { value: 'the year 2026', isJson: false }],
  ['{year: 2026}', { value: '{year: 2026}', isJson: false }],
])('%s', (text, answer) => {
  expect(parseAnswer(text)).toEqual(answer)
})
