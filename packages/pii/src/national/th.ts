import type { PatternRecognizer } from '@millrace/guards/scanner'
import { digitsOf, weightedSum } from '../checksum/digits.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Thailand. */
export const th: PatternRecognizer[] = country('TH', [
  {
    // Department of Provincial Administration: type of person, province, …; weights 13 down to 2, remainder modulo 11.
    type: 'th_tnin',
    pattern:
      /\b[1-8](?:1\d|2[0-7]|[34]\d|5[0-8]|6[0-7]|7[0-7]|8[0-6]|9[0-6])\d{10}\b|\b[1-8][- ]\d{4}[- ]\d{5}[- ]\d{2}[- ]\d\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      const sum = weightedSum(digits, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
      if ((11 - (sum % 11)) % 10 !== Number(digits[12])) return 0
      return candidate.length > 13 ? 0.8 : evidence.format
    },
    context: [
      'thai national id',
      'thai id',
      'เลขบัตรประชาชน',
      'บัตรประชาชน',
      'เลขประจำตัวประชาชน',
      'tnin',
      'national id',
    ],
  },
])
