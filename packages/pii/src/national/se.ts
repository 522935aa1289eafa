import type { PatternRecognizer } from '@millrace/guards/scanner'
import { isDay } from '../checksum/calendar.ts'
import { digitsOf, numberAt } from '../checksum/digits.ts'
import { passesLuhn } from '../checksum/luhn.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Sweden. */
export const se: PatternRecognizer[] = country('SE', [
  {
    type: 'se_personnummer',
    pattern: /\b(?:18|19|20)?\d{6}[-+ ]?\d{4}\b/,
    score: (candidate) => {
      if (!isPersonnummer(digitsOf(candidate))) return 0
      return /[-+]/.test(candidate) ? evidence.likely : candidate.length > 10 ? 0.6 : evidence.format
    },
    context: ['personnummer', 'pnr', 'samordningsnummer', 'person nr', 'personal identity number'],
  },
  {
    type: 'se_organisationsnummer',
    pattern: /\b(?:16)?[125-9]\d[2-9]\d{3}[- ]?\d{4}\b|\bSE[125-9]\d[2-9]\d{7}01\b/,
    score: (candidate) => {
      if (
        !passesLuhn(
          digitsOf(candidate)
            .replace(/(?<=^\d{10})01$/, '')
            .slice(-10),
        )
      )
        return 0
      return /[-S]/.test(candidate) ? 0.55 : evidence.format
    },
    context: ['organisationsnummer', 'org nr', 'orgnr', 'org.nr', 'company identity code', 'företag'],
  },
])

/** Tax Agency: Luhn over the last ten digits; 60 is added to the day in coordination numbers. */
function isPersonnummer(digits: string): boolean {
  const short = digits.slice(-10)
  const [year, month, day] = [numberAt(short, 0, 2), numberAt(short, 2, 4), numberAt(short, 4, 6)]
  const century = digits.length === 12 ? numberAt(digits, 0, 2) * 100 : 2000
  return isDay(century + year, month, day > 60 ? day - 60 : day) && passesLuhn(short)
}
