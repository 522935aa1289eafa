import type { PatternRecognizer } from '@millrace/guards/scanner'
import { digitsOf, isRepetition } from '../checksum/digits.ts'
import { passesVerhoeff } from '../checksum/verhoeff.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Nigeria. */
export const ng: PatternRecognizer[] = country('NG', [
  {
    // National Identity Management Commission: Verhoeff.
    type: 'ng_nin',
    pattern: /\b\d{11}\b|\b\d{4}[ -]\d{3}[ -]\d{4}\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      return passesVerhoeff(digits) && !isRepetition(digits) ? evidence.format : 0
    },
    needsWord: true,
    context: ['nin', 'national identification number', 'nimc', 'national identity number'],
  },
  {
    // Local government, serial number, year and batch.
    type: 'ng_vehicle_registration',
    pattern: /\b[A-Z]{3}[- ]?\d{3}[- ]?[A-Z]{2}\b/i,
    score: (candidate) => (candidate === candidate.toUpperCase() ? evidence.format : evidence.faint),
    needsWord: true,
    context: ['plate', 'plates', 'plate number', 'vehicle', 'registration', 'car'],
  },
])
