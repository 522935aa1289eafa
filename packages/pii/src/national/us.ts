import type { PatternRecognizer } from '@millrace/guards/scanner'
import { digitsOf, isRepetition, weightedSum } from '../checksum/digits.ts'
import { passesLuhn } from '../checksum/luhn.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of the United States. */
export const us: PatternRecognizer[] = country('US', [
  {
    type: 'us_ssn',
    pattern:
      /\b(?:\d{3}(?:-\d{2}-| - \d{2} - |\/\d{2}\/|\.\d{2}\.| \d{2} |-?\d{2})\d{4}|\d{5}-\d{4})(?![\w-])/,
    score: (candidate) => (isSsn(candidate) ? (candidate.length > 10 ? 0.8 : evidence.format) : 0),
    context: ['ssn', 'ssns', 'social security', 'social', 'soc sec', 'ss#', 'ssid'],
  },
  {
    type: 'us_itin',
    // Groups that the Internal Revenue Service has issued: 50 to 65, 70 to 88, 90 to 92, 94 to 99.
    pattern: /\b9\d{2}[- .]?(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])[- .]?\d{4}\b/,
    score: (candidate) => (candidate.length === 11 ? 0.75 : evidence.format),
    context: ['itin', 'taxpayer', 'tax id', 'tin', 'tax identification', 'individual taxpayer'],
  },
  {
    type: 'us_passport',
    pattern: /\b[A-Za-z]?\d{8,9}\b/,
    score: (candidate) => (candidate.length === 9 ? evidence.format : 0),
    needsWord: true,
    context: ['passport', 'passport number', 'travel document', 'us passport'],
  },
  {
    type: 'us_driver_license',
    pattern:
      /\b(?:[A-Za-z]{1,2}\d{5,14}|\d{7,8}[A-Za-z]{1,2}|\d{9}[A-Za-z]|[A-Za-z]{2}\d{6}[A-Za-z]|[A-Za-z]\d{6}R|\d{3}[A-Za-z]{2}\d{4}|[A-Za-z]\d{3}-(?:\d{3}-\d{2}-\d{3}-\d|\d{4}-\d{4})|\d{6,14})\b/,
    score: evidence.format,
    context: [
      'driver licence',
      'drivers licence',
      "driver's licence",
      'operator license',
      'dln',
      'licence',
      "driver's license",
      'driver license',
      'drivers license',
      'driving license',
      'license',
      'dl',
      'cdls',
    ],
  },
  {
    type: 'us_aba_routing',
    pattern: /\b\d{4}(?:-\d{4}-|\d{4})\d\b/,
    score: (candidate) => {
      if (!isAbaRouting(digitsOf(candidate))) return 0
      return candidate.length > 9 ? evidence.likely : evidence.format
    },
    context: ['aba', 'routing', 'routing number', 'rtn', 'transit', 'bank', 'bankrouting', 'wire'],
  },
  {
    type: 'us_bank_account',
    pattern: /\b\d{8,17}\b/,
    score: evidence.format,
    context: [
      'bank account',
      'routing',
      'account number',
      'account no',
      'account #',
      'to account',
      'into account',
      'from account',
      'deposit account',
      'bank acct',
      'acct',
      'checking account',
      'savings account',
      'debit account',
    ],
  },
  {
    // Medicare Beneficiary Identifier, CMS: positions of letters (without B, I, L, O, S, Z) and digits are fixed.
    type: 'us_mbi',
    pattern:
      /\b[1-9][AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d[ -]?[AC-HJKMNP-RT-Y][0-9AC-HJKMNP-RT-Y]\d[ -]?[AC-HJKMNP-RT-Y]{2}\d{2}\b/i,
    score: (candidate) => (candidate.length === 12 ? 0 : 0.8),
    context: ['medicare', 'mbi', 'beneficiary', 'cms'],
  },
  {
    // National Provider Identifier: Luhn over the digits with the prefix 80840.
    type: 'us_npi',
    pattern: /\b[12]\d{3}(?:\d{6}|[ -]\d{3}[ -]\d{3})\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      return passesLuhn(`80840${digits}`) && !isRepetition(digits.slice(0, 9)) ? evidence.format : 0
    },
    needsWord: true,
    context: ['npi', 'national provider', 'provider', 'provider id', 'prescriber', 'physician'],
  },
  {
    // Drug Enforcement Administration registration: two letters, six digits and their check digit.
    type: 'us_dea',
    pattern: /\b[A-HJ-MP-UX][A-Z9]\d{7}\b/i,
    score: (candidate) => (isDea(candidate.slice(2)) ? evidence.format : 0),
    needsWord: true,
    context: ['dea', 'medical license', 'medical certificate', 'prescriber', 'controlled substance'],
  },
])

/**
 * Social Security Administration: no area 000, 666 or from 900 on, no group 00, no serial number 0000, and no printed
 * specimen.
 */
function isSsn(candidate: string): boolean {
  const digits = digitsOf(candidate)
  if (isRepetition(digits) || SPECIMENS.has(digits)) return false
  return !/^(?:000|666|9)|^.{3}00|0000$/.test(digits)
}

/** Numbers printed on sample cards. 123-45-6789 is not listed: people write it in place of any number. */
const SPECIMENS = new Set(['078051120', '219099999'])

/** American Bankers Association: weights 3, 7, 1, and a Federal Reserve prefix. */
function isAbaRouting(digits: string): boolean {
  const prefix = Number(digits.slice(0, 2))
  const issued =
    prefix <= 12 || (prefix >= 21 && prefix <= 32) || (prefix >= 61 && prefix <= 72) || prefix === 80
  return issued && !isRepetition(digits) && weightedSum(digits, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0
}

function isDea(digits: string): boolean {
  return weightedSum(digits, [1, 2, 1, 2, 1, 2]) % 10 === Number(digits[6])
}
