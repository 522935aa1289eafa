import type { PatternRecognizer } from '@millrace/guards/scanner'
import { digitsOf, isRepetition, weightedSum } from '../checksum/digits.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of the Netherlands. */
export const nl: PatternRecognizer[] = country('NL', [
  {
    // Burgerservicenummer: the "eleven test".
    type: 'nl_bsn',
    pattern:
      /\b\d{9}\b|\b\d{4}[. -]\d{2}[. -]\d{3}\b|\b\d{3}[. -]\d{3}[. -]\d{3}\b|\b\d{2}\.\d{2}\.\d{2}\.\d{3}\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      const passes = weightedSum(digits, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0
      return passes && !isRepetition(digits) ? evidence.format : 0
    },
    needsWord: true,
    context: [
      'bsn',
      'burgerservicenummer',
      'sofinummer',
      'sofi',
      'persoonsnummer',
      'burger service nummer',
      'burgerservicenr',
      'bsn-nummer',
      'bsnnummer',
      'bsnnr',
    ],
  },
  {
    type: 'nl_passport',
    pattern: /\b[A-NP-Z]{2}[0-9A-NP-Z]{6}\d\b/i,
    score: (candidate) => (digitsOf(candidate).length >= 3 ? evidence.faint : 0),
    needsWord: true,
    context: ['paspoort', 'paspoortnummer', 'identiteitskaart', 'passport'],
  },
])
