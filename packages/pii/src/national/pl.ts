import type { PatternRecognizer } from '@millrace/guards/scanner'
import { isDay } from '../checksum/calendar.ts'
import { digitsOf, weightedSum } from '../checksum/digits.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Poland. */
export const pl: PatternRecognizer[] = country('PL', [
  {
    type: 'pl_pesel',
    pattern: /\b\d{6}[ -]?\d{5}\b/,
    score: (candidate) => (isPesel(digitsOf(candidate)) ? evidence.format : 0),
    needsWord: true,
    context: ['pesel', 'pesel-em', 'peselu', 'peselem', 'numer ewidencyjny'],
  },
  {
    // Tax number: weights 6, 5, 7, 2 …, remainder modulo 11.
    type: 'pl_nip',
    pattern: /\b(?:PL[ -]?)?(?:\d{3}[ -]?\d{3}[ -]?\d{2}[ -]?\d{2}|\d{3}[ -]\d{2}[ -]\d{2}[ -]\d{3})\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      const valid = weightedSum(digits, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === Number(digits[9])
      return valid && digits !== '0000000000' ? evidence.format : 0
    },
    needsWord: true,
    context: ['nip', 'n.i.p', 'nipu', 'numer identyfikacji podatkowej'],
  },
])

/** PESEL register: the century is encoded in the month; the last digit is the check digit. */
function isPesel(digits: string): boolean {
  const [month, day] = [Number(digits.slice(2, 4)), Number(digits.slice(4, 6))]
  const century = [1900, 2000, 2100, 2200, 1800][Math.floor(month / 20)] ?? 1900
  const check = (10 - (weightedSum(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10)) % 10
  return isDay(century + Number(digits.slice(0, 2)), month % 20, day) && check === Number(digits[10])
}
