import type { PatternRecognizer } from '@millrace/guards/scanner'
import { alphanumericOf, base36Value, weightedSum } from '../checksum/digits.ts'
import { country } from './country.ts'

/** Identifiers of Singapore. */
export const sg: PatternRecognizer[] = country('SG', [
  {
    type: 'sg_nric_fin',
    pattern: /\b[STFGM](?:\d{7}|-\d{7}-| \d{7} )[A-Z]\b/i,
    score: (candidate) => (isNric(alphanumericOf(candidate)) ? 0.9 : 0),
    context: ['nric', 'fin', 'identity card', 'foreign identification'],
  },
  {
    type: 'sg_uen',
    pattern: /\b(?:\d{8,9}|[RST]\d{2}[A-Z]{2}\d{4})[A-Z]\b/,
    score: (candidate) => (isUen(candidate) ? 0.75 : 0),
    context: ['uen', 'unique entity number', 'company registration', 'acra'],
  },
])

/**
 * Immigration & Checkpoints Authority: weights 2, 7, 6, 5, 4, 3, 2; the offset and the letters depend on the series.
 */
function isNric(code: string): boolean {
  const series = code.charAt(0)
  const offset = series === 'M' ? 3 : 'TG'.includes(series) ? 4 : 0
  const remainder = (weightedSum(code.slice(1, 8), [2, 7, 6, 5, 4, 3, 2]) + offset) % 11
  const letters = 'ST'.includes(series) ? 'JZIHGFEDCBA' : series === 'M' ? 'XWUTRQPNJLK' : 'XWUTRQPNMLK'
  return letters[remainder] === code[8]
}

/** Accounting and Corporate Regulatory Authority: businesses, companies, other entities. */
function isUen(code: string): boolean {
  const check = code.at(-1)
  if (/^\d{8}[A-Z]/.test(code))
    return 'XMKECAWLJDB'[weightedSum(code, [10, 4, 9, 3, 8, 2, 7, 1]) % 11] === check
  if (/^\d/.test(code)) return 'ZKCMDNERGWH'[weightedSum(code, [10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11] === check
  const alphabet = 'ABCDEFGHJKLMNPQRSTUVWX0123456789'
  const sum = [4, 3, 5, 3, 10, 2, 2, 5, 7].reduce(
    (total, weight, index) => total + weight * alphabet.indexOf(code.charAt(index)),
    0,
  )
  return alphabet[(((sum - 5) % 11) + 11) % 11] === check && base36Value(code.charAt(1)) < 10
}
