import type { PatternRecognizer } from '@millrace/guards/scanner'
import { digitAt, digitsOf } from '../checksum/digits.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Türkiye. */
export const tr: PatternRecognizer[] = country('TR', [
  {
    type: 'tr_national_id',
    pattern: /\b[1-9](?:\d{9}|\d{2} \d{3} \d{3} \d)[02468]\b/,
    score: (candidate) => (isNationalId(digitsOf(candidate)) ? evidence.likely : 0),
    context: ['tc kimlik', 'tckn', 'kimlik no', 'kimlik numarası', 't.c.', 'turkish id'],
  },
  {
    // Province 01 to 81, one to three letters, two to four digits.
    type: 'tr_license_plate',
    pattern: /\b(?:0[1-9]|[1-7]\d|8[01])[ -]?[A-Z]{1,3}[ -]?\d{2,5}\b/i,
    score: (candidate) =>
      candidate === candidate.toUpperCase() && candidate.includes(' ') ? 0.45 : evidence.format,
    context: ['plaka', 'plakalı', 'araç', 'plate', 'license plate'],
  },
])

/** General Directorate of Population: two check digits. */
function isNationalId(digits: string): boolean {
  const [odd, even] = [everySecond(digits, 0), everySecond(digits, 1)]
  const tenth = digitAt(digits, 9)
  return (odd * 7 - even + 80) % 10 === tenth && (odd + even + tenth) % 10 === digitAt(digits, 10)
}

/** The sum of every second digit of the first nine, starting at `from`. */
function everySecond(digits: string, from: number): number {
  let sum = 0
  for (let index = from; index < 9; index += 2) sum += digitAt(digits, index)
  return sum
}
