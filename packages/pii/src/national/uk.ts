import type { PatternRecognizer } from '@millrace/guards/scanner'
import { digitsOf, isRepetition, weightedSum } from '../checksum/digits.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of the United Kingdom. */
export const uk: PatternRecognizer[] = country('GB', [
  {
    type: 'uk_nhs',
    pattern: /\b\d{3}[- .]?\d{3}[- .]?\d{4}\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      return isNhs(digits) && !isRepetition(digits) ? (candidate.length > 10 ? 0.45 : evidence.format) : 0
    },
    context: [
      'nhs',
      'nhs number',
      'national health service',
      'health service',
      'health authority',
      'patient',
    ],
  },
  {
    // HM Revenue & Customs, NIM39110: letters that are never used, and prefixes that are not allocated.
    type: 'uk_nino',
    pattern:
      /\b[A-CEGHJ-PRSTW-Z][A-CEGHJ-NPRSTW-Z][ .-]?(?:\d{2}[ .-]?\d{2}[ .-]?\d{2}|\d{3} \d{3})[ .-]?[A-D]\b/i,
    score: (candidate) => (/^(?:BG|GB|KN|NK|NT|TN|ZZ)/i.test(candidate) ? 0 : 0.75),
    context: ['national insurance', 'ni number', 'nino', 'insurance number'],
  },
  {
    type: 'uk_passport',
    pattern: /\b(?:[A-Z]{2}\d{7}|\d{9})\b/i,
    score: (candidate) =>
      candidate.length === 9 && /^\d/.test(candidate) ? evidence.faint : evidence.format,
    needsWord: true,
    context: ['passport', 'passport number', 'travel document', 'hmpo', 'uk passport'],
  },
  {
    // Driver and Vehicle Licensing Agency: surname, decade, month (plus 50 for women), day, year, initials, three more
    // characters.
    type: 'uk_driving_licence',
    pattern:
      /\b[A-Z]{1,5}9{0,4}\d(?:0[1-9]|1[0-2]|5[1-9]|6[0-2])(?:0[1-9]|[12]\d|3[01])\d[A-Z][A-Z9][0-9A-Z][A-Z]{2}\b/i,
    score: (candidate) => (candidate.length === 16 ? 0.9 : 0),
    context: ['driving licence', 'driver licence', 'driving license', 'licence', 'dvla'],
  },
  {
    // Current, prefix and suffix style; age identifiers 02 to 29 and 51 to 79.
    type: 'uk_vehicle_registration',
    pattern:
      /\b(?:[A-HJ-PR-Y]{2}(?:0[2-9]|[12]\d|5[1-9]|[67]\d)[ -]?[A-HJ-PR-Z]{3}|[A-HJ-NPR-TV-Y]\d{1,3}[ -]?[A-HJ-PR-Y]{3}|[A-HJ-PR-Y]{3}[ -]?\d{1,3}[A-HJ-NPR-TV-Y])\b/i,
    score: (candidate) => (candidate === candidate.toUpperCase() ? evidence.format : evidence.faint),
    needsWord: true,
    context: [
      'registration',
      'vehicle',
      'number plate',
      'licence plate',
      'license plate',
      'reg',
      'vrm',
      'car',
      'plate',
    ],
  },
  {
    // BS 7666: the inward letters exclude C, I, K, M, O and V.
    type: 'uk_postcode',
    pattern:
      /\b(?:GIR ?0AA|(?:[A-PR-UWYZ]\d[0-9A-HJKPSTUW]?|[A-PR-UWYZ][A-HK-Y]\d[0-9ABEHMNPRVWXY]?) ?\d[ABD-HJLNP-UW-Z]{2})\b/i,
    score: (candidate) => (candidate === candidate.toUpperCase() ? evidence.format : evidence.faint),
    needsWord: true,
    context: ['postcode', 'post code', 'postal code', 'address', 'zip'],
  },
])

/** NHS Data Dictionary: modulus 11, weights 10 down to 2. */
function isNhs(digits: string): boolean {
  const check = (11 - (weightedSum(digits, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11
  return check === Number(digits[9])
}
