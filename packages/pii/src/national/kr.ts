import type { PatternRecognizer } from '@millrace/guards/scanner'
import { isDay } from '../checksum/calendar.ts'
import { digitsOf, numberAt, weightedSum } from '../checksum/digits.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of the Republic of Korea. Numbers assigned since October 2020 have no check digit. */
export const kr: PatternRecognizer[] = country('KR', [
  {
    type: 'kr_rrn',
    pattern: /\b\d{6}(?: ?- ?| )?[1-4]\d{6}\b/,
    score: (candidate) => residentScore(candidate, 0),
    context: ['주민등록번호', '주민번호', 'rrn', 'resident registration', 'jumin'],
  },
  {
    type: 'kr_frn',
    pattern: /\b\d{6}(?: ?- ?| )?[5-8]\d{6}\b/,
    score: (candidate) => residentScore(candidate, 2),
    context: ['외국인등록번호', 'foreigner registration', 'alien registration', 'frn'],
  },
  {
    // Business registration: weights 1, 3, 7 …, plus the tens of the last product.
    type: 'kr_brn',
    pattern: /\b\d{3}(?:-\d{2}-| \d{2} |\d{2})\d{5}\b/,
    score: (candidate) => {
      if (!isBusiness(digitsOf(candidate))) return 0
      return candidate.length > 10 ? evidence.likely : evidence.format
    },
    context: ['사업자등록번호', '사업자번호', 'business registration', 'brn'],
  },
  {
    // The first two digits are the issuing region.
    type: 'kr_driver_license',
    pattern: /\b(?:1[1-9]|2[0-8])(?:-\d{2}-\d{6}-| \d{2} \d{6} |\d{8})\d{2}\b/,
    score: (candidate) => (candidate.length > 12 ? evidence.likely : evidence.format),
    context: ['운전면허', '면허번호', '운전면허번호', "driver's license", 'driver license', 'license'],
  },
  {
    type: 'kr_passport',
    pattern: /\b[MSRODG](?:\d{8}|\d{3}[A-Z]\d{4})\b/i,
    score: evidence.format,
    context: ['여권', '여권번호', 'passport', 'korean passport'],
  },
])

function residentScore(candidate: string, offset: number): number {
  const digits = digitsOf(candidate)
  const [year, month, day] = [numberAt(digits, 0, 2), numberAt(digits, 2, 4), numberAt(digits, 4, 6)]
  const century = /[3478]/.test(digits.charAt(6)) ? 2000 : 1900
  if (!isDay(century + year, month, day)) return 0
  const sum = weightedSum(digits, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5])
  if ((11 - (sum % 11) + offset) % 10 === Number(digits[12])) return 0.85
  return candidate.includes('-') ? 0.6 : evidence.format
}

function isBusiness(digits: string): boolean {
  const sum = weightedSum(digits, [1, 3, 7, 1, 3, 7, 1, 3, 5]) + Math.floor((Number(digits[8]) * 5) / 10)
  return (10 - (sum % 10)) % 10 === Number(digits[9]) && !digits.startsWith('000')
}
