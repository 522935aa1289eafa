import type { PatternRecognizer } from '@millrace/guards/scanner'
import { alphanumericOf } from '../checksum/digits.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of France. */
export const fr: PatternRecognizer[] = country('FR', [
  {
    type: 'fr_nir',
    pattern:
      /\b[1-478](?:\d{4}(?:\d{2}|2[AB])\d{6}(?:[ /-]| cl[eé]:? )?\d{2}|[ .-]\d{2}[ .-]\d{2}[ .-](?:\d{2}|2[AB])[ .-]\d{3}[ .-]\d{3}[ .|-]{1,3}\d{2})\b/i,
    score: (candidate) => (isNir(alphanumericOf(candidate.replace(/ cl[eé]/i, ''))) ? evidence.certain : 0),
    context: ['nir', 'sécurité sociale', 'numéro de sécurité sociale', 'insee', 'carte vitale', 'sécu'],
  },
  {
    type: 'fr_passport',
    pattern: /\b\d{2}[A-Z]{2}\d{5}\b/i,
    score: evidence.format,
    context: ['passeport', 'passport', 'numéro de passeport'],
  },
])

/** INSEE: 97 minus the remainder of the first 13 digits modulo 97; 2A and 2B of Corsica count as 19 and 18. */
function isNir(text: string): boolean {
  const month = Number(text.slice(3, 5))
  if (month < 1 || (month > 12 && month < 20)) return false
  const body = text.slice(0, 13).replace('2A', '19').replace('2B', '18')
  return 97 - (Number(body) % 97) === Number(text.slice(13))
}
