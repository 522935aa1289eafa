import type { PatternRecognizer } from '@millrace/guards/scanner'
import { isShortDay } from '../checksum/calendar.ts'
import { digitsOf } from '../checksum/digits.ts'
import { passesLuhn } from '../checksum/luhn.ts'
import { country } from './country.ts'

/** Identifiers of South Africa. */
export const za: PatternRecognizer[] = country('ZA', [
  {
    // Department of Home Affairs: birthday, serial number, citizenship (0 to 2), 8 or 9 or older digits, Luhn.
    type: 'za_id_number',
    pattern: /\b\d{6}(?: ?\d{4} ?[0-2]\d{2}| \d{4} [0-2]\d \d)\b/,
    score: (candidate) => (isShortDay(candidate.slice(0, 6)) && passesLuhn(digitsOf(candidate)) ? 0.6 : 0),
    context: [
      'south african id',
      'rsa id',
      'id number',
      'identity number',
      'sa id',
      'id no',
      'id nr',
      'permanent resident',
      'refugee',
    ],
  },
])
