import type { PatternRecognizer } from '@millrace/guards/scanner'
import { isDay } from '../checksum/calendar.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Finland. */
export const fi: PatternRecognizer[] = country('FI', [
  {
    type: 'fi_personal_identity_code',
    pattern: /\b\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]\b/i,
    score: (candidate) => (isHetu(candidate.toUpperCase()) ? evidence.certain : 0),
    context: ['hetu', 'henkilötunnus', 'personbeteckning', 'personal identity code', 'henkilotunnus'],
  },
])

/** Digital and Population Data Services Agency: the sign is the century, the last character the remainder modulo 31. */
function isHetu(code: string): boolean {
  const sign = code.charAt(6)
  const century = sign === '+' ? 1800 : /[-U-Y]/.test(sign) ? 1900 : 2000
  const [day, month, year] = [0, 2, 4].map((at) => Number(code.slice(at, at + 2))) as [number, number, number]
  const number = Number(code.slice(0, 6) + code.slice(7, 10))
  return (
    isDay(century + year, month, day) &&
    Number(code.slice(7, 10)) >= 2 &&
    '0123456789ABCDEFHJKLMNPRSTUVWXY'[number % 31] === code[10]
  )
}
