import type { PatternRecognizer } from '@millrace/guards/scanner'
import { digitsOf } from '../checksum/digits.ts'
import { passesLuhn } from '../checksum/luhn.ts'
import { evidence, isInRow } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Canada. */
export const ca: PatternRecognizer[] = country('CA', [
  {
    // Social Insurance Number: Luhn; 0 and 8 are not issued to persons.
    type: 'ca_sin',
    pattern: /\b[1-79]\d{2}(?:-\d{3}-| \d{3} |\.\d{3}\.|\d{3})\d{3}(?:[- ]\d{3})?\b/,
    score: (candidate, before, _, following) => {
      const digits = digitsOf(candidate)
      if (digits.length > 9 || !passesLuhn(digits) || isInRow(candidate, before, following)) return 0
      return /[- ]/.test(candidate) ? evidence.likely : evidence.format
    },
    context: ['sin', 'social insurance', 'nas', "numéro d'assurance sociale", 'assurance sociale'],
  },
])
