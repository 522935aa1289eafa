import type { PatternRecognizer } from '@millrace/guards/scanner'
import { digitsOf, weightedSum } from '../checksum/digits.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of the Philippines. */
export const ph: PatternRecognizer[] = country('PH', [
  {
    // Bureau of Internal Revenue: the ninth digit is the weighted sum of the others modulo 11; then the branch.
    type: 'ph_tin',
    pattern: /\b\d{3}(?:-\d{3}-\d{3}(?:-\d{3,5})?| \d{3} \d{3}(?: \d{3,5})?|\d{6}(?:\d{3}|\d{5})?)\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      const remainder = weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2]) % 11
      if (remainder !== Number(digits[8]) || Number(digits) === 0) return 0
      return candidate.includes('-') ? 0.6 : evidence.format
    },
    context: ['tin', 'tax identification', 'bir', 'taxpayer'],
  },
])
