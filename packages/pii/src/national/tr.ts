import type { PatternRecognizer } from '@millrace/guards/scanner'
import { digitsOf } from '../checksum/digits.ts'
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
function isNationalId(text: string): boolean {
  const digits = [...text].map(Number)
  const sum = (from: number, step: number, count: number): number =>
    Array.from({ length: count }, (_, index) => digits[from + index * step] ?? 0).reduce((a, b) => a + b, 0)
  const tenth = (((sum(0, 2, 5) * 7 - sum(1, 2, 4)) % 10) + 10) % 10
  return digits[9] === tenth && sum(0, 1, 10) % 10 === digits[10]
}
