import type { PatternRecognizer } from '@millrace/guards/scanner'
import { digitsOf, isRepetition, weightedSum } from '../checksum/digits.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Australia. */
export const au: PatternRecognizer[] = country('AU', [
  {
    // Australian Business Number: subtract 1 from the first digit; remainder modulo 89.
    type: 'au_abn',
    pattern: /\b[1-9]\d(?:\d{9}|(?: \d{3}){3}|(?:-\d{3}){3})\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      const sum = weightedSum(digits, [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]) - 10
      if (sum % 89 !== 0) return 0
      return candidate.length > 11 ? evidence.likely : evidence.format
    },
    context: ['abn', 'australian business number', 'business number'],
  },
  {
    // Australian Company Number: weights 8 down to 1, complement to 10.
    type: 'au_acn',
    pattern: /\b\d{3}(?:\d{6}| \d{3} \d{3}|-\d{3}-\d{3})\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      const check = (10 - (weightedSum(digits, [8, 7, 6, 5, 4, 3, 2, 1]) % 10)) % 10
      return check === Number(digits[8]) && !isRepetition(digits) ? evidence.format : 0
    },
    needsWord: true,
    context: ['acn', 'australian company number', 'company number'],
  },
  {
    // Tax File Number: remainder modulo 11.
    type: 'au_tfn',
    pattern: /\b\d{3}(?:\d{5,6}| \d{3} \d{2,3}|-\d{3}-\d{2,3}|\.\d{3}\.\d{2,3})\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      const weights = digits.length === 9 ? [1, 4, 3, 7, 5, 8, 6, 9, 10] : [10, 7, 8, 4, 6, 3, 5, 1]
      return weightedSum(digits, weights) % 11 === 0 && !isRepetition(digits) ? evidence.format : 0
    },
    needsWord: true,
    context: ['tfn', 'tax file number', 'australian taxation office', 'ato'],
  },
  {
    // Medicare: the ninth digit is the check digit of the first eight; then the issue number, and the number of the
    // person on the card.
    type: 'au_medicare',
    pattern: /\b[2-6]\d{3}(?:\d{6}|[ -]\d{5}[ -]\d)(?:[/ -]?\d)?\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      if (weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 !== Number(digits[8])) return 0
      return /\D/.test(candidate) ? 0.6 : evidence.format
    },
    context: ['medicare', 'medicare card', 'medicare number'],
  },
])
