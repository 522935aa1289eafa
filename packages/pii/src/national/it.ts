import type { PatternRecognizer } from '@millrace/guards/scanner'
import { alphanumericOf, base36Value, digitsOf } from '../checksum/digits.ts'
import { passesLuhn } from '../checksum/luhn.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Italy. */
export const it: PatternRecognizer[] = country('IT', [
  {
    // If two people would share a code, letters replace some digits. With a wrong check letter the score is lower.
    type: 'it_fiscal_code',
    pattern:
      /\b[A-Z]{3} ?[A-Z]{3}[ -]?[0-9LMNP-V]{2}[ABCDEHLMPRST][0-9LMNP-V]{2}[ -]?[A-Z][0-9LMNP-V]{3} ?[A-Z]\b/i,
    score: (candidate) => (hasFiscalCheck(alphanumericOf(candidate)) ? evidence.certain : evidence.format),
    context: ['codice fiscale', 'cf', 'c.f.', 'cod. fiscale', 'cod. fisc', 'fiscal code'],
  },
  {
    type: 'it_vat',
    pattern: /\b(?:IT[ -]?)?\d{11}\b/i,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      if (!passesLuhn(digits) || digits.startsWith('0000000')) return 0
      return candidate.length > 11 ? evidence.likely : evidence.format
    },
    context: ['piva', 'partita iva', 'p.iva', 'p. iva', 'iva', 'vat'],
  },
  {
    type: 'it_driver_license',
    pattern: /\b(?:[A-Z]{2}\d{7}[A-Z]|U1[0-9B-DF-HJ-NP-TV-Z]{7}[A-Z])\b/i,
    score: (candidate) => (/^U1/i.test(candidate) && !/\d/.test(candidate.slice(2)) ? 0 : evidence.format),
    needsWord: true,
    context: ['patente', 'patente di guida', 'licenza', 'license', 'licence'],
  },
  {
    // Paper cards: two letters and seven digits. Electronic cards: version 2 and 3.
    type: 'it_identity_card',
    pattern: /\b(?:[A-Z]{2} ?\d{7}|\d{7}[A-Z]{2}|[A-Z]{2}\d{5}[A-Z]{2})\b/i,
    score: evidence.format,
    context: ["carta d'identità", 'carta identità', 'carta di identità', 'identità', 'cie', 'identity card'],
  },
  {
    type: 'it_passport',
    pattern: /\b[A-Z]{2}\d{7}\b/i,
    score: evidence.format,
    context: ['passaporto', 'passport', 'documento di viaggio'],
  },
])

const ODD_VALUES = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
]

/**
 * Ministerial Decree of 23 December 1976: the last letter is the sum of the values of the others, by odd and even
 * position.
 */
function hasFiscalCheck(code: string): boolean {
  let sum = 0
  for (let index = 0; index < 15; index++) {
    const value = base36Value(code.charAt(index))
    const place = value > 9 ? value - 10 : value
    sum += index % 2 === 0 ? (ODD_VALUES[place] ?? 0) : place
  }
  return sum % 26 === base36Value(code.charAt(15)) - 10
}
