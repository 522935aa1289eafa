import type { PatternRecognizer } from '@millrace/guards/scanner'
import { base36Value, digitsOf } from '../checksum/digits.ts'
import { passesVerhoeff } from '../checksum/verhoeff.ts'
import { evidence, isInRow } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of India. */
export const india: PatternRecognizer[] = country('IN', [
  {
    // Unique Identification Authority: Verhoeff; never begins with 0 or 1, never a palindrome.
    type: 'in_aadhaar',
    pattern: /\b[2-9]\d{3}(?:\d{8}|[- ]\d{4}[- ]\d{4}(?:[- ]\d{4})?|\.\d{4}\.\d{4})\b/,
    score: (candidate, before, _, following) => {
      if (isInRow(candidate, before, following)) return 0
      const digits = digitsOf(candidate)
      if (digits.length > 12 || !passesVerhoeff(digits)) return 0
      if (digits === [...digits].reverse().join('')) return 0
      return candidate.length > 12 ? evidence.likely : evidence.format
    },
    context: ['aadhaar', 'aadhar', 'adhaar', 'adhar', 'uidai', 'uid', 'आधार'],
  },
  {
    // Income Tax Department: the fourth letter is the type of the holder.
    type: 'in_pan',
    pattern: /\b[A-Z]{5}\d{4}[A-Z]\b/i,
    score: (candidate) => (/^.{3}[ABCFGHJLPT]/i.test(candidate) ? 0.75 : evidence.format),
    context: ['pan', 'permanent account number', 'income tax'],
  },
  {
    // State, PAN, registration number, Z, check character.
    type: 'in_gstin',
    pattern: /\b(?:0[1-9]|[12]\d|3[0-8]|9[79])[A-Z]{5}\d{4}[A-Z][1-9A-Z]Z[0-9A-Z]\b/i,
    score: (candidate) => {
      if (hasGstinCheck(candidate.toUpperCase())) return evidence.certain
      return candidate.startsWith('38') ? 0 : 0.6
    },
    context: ['gstin', 'gst', 'goods and services tax'],
  },
  {
    type: 'in_passport',
    pattern: /\b[A-PR-WY][1-9]\d ?\d{4}[1-9]\b/i,
    score: evidence.format,
    context: ['passport', 'indian passport', 'passport number'],
  },
  {
    type: 'in_voter',
    pattern: /\b[A-Z]{3}\d{7}\b/i,
    score: evidence.format,
    context: ['voter', 'epic', 'elector', 'election'],
  },
  {
    type: 'in_vehicle_registration',
    pattern:
      /\b(?:A[NPRS]|BR|C[GH]|D[DLN]|G[AJ]|H[PR]|J[HK]|K[AL]|L[AD]|M[HLNPZ]|NL|O[DR]|P[BY]|RJ|SK|T[GNRS]|U[APK]|WB)[ -]?\d{1,2}[ -]?[A-Z]{1,3}[ -]?\d{4}\b/i,
    score: (candidate) => (candidate === candidate.toUpperCase() ? 0.5 : evidence.format),
    context: ['vehicle', 'registration', 'number plate', 'rto', 'bike', 'car'],
  },
])

/** GST Network: base 36, weights 1 and 2, digit sums. */
function hasGstinCheck(code: string): boolean {
  let sum = 0
  for (let index = 0; index < 14; index++) {
    const product = base36Value(code.charAt(index)) * (index % 2 === 0 ? 1 : 2)
    sum += Math.floor(product / 36) + (product % 36)
  }
  return (36 - (sum % 36)) % 36 === base36Value(code.charAt(14))
}
