import type { PatternRecognizer } from '@millrace/guards/scanner'
import { alphanumericOf, base36Value, digitsOf, isRepetition, weightedSum } from '../checksum/digits.ts'
import { passesMod11And10 } from '../checksum/iso7064.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Germany. */
export const de: PatternRecognizer[] = country('DE', [
  {
    type: 'de_tax_id',
    pattern: /\b[1-9]\d{10}\b|\b[1-9]\d[ ./-]\d{3}[ ./-]\d{3}[ ./-]\d{3}\b|\b[1-9]\d{2} \d{4} \d{4}\b/,
    score: (candidate) => (isTaxId(digitsOf(candidate)) ? 0.55 : 0),
    context: [
      'steuer-id',
      'steuerid',
      'idnr',
      'identifikationsnummer',
      'steuerliche identifikationsnummer',
      'tin',
      'steuer',
    ],
  },
  {
    // As printed by tax offices, or with 13 digits that begin with the state.
    type: 'de_tax_number',
    pattern:
      /\b(?:\d{2,3}\/\d{3,4}\/\d{4,5}|\d{5}\/\d{5}|(?:0[1-9]|1[0-6]|2[1-8]|3[0-2]|4[01]|5\d|9\d)\d{11})\b/,
    score: evidence.format,
    context: ['steuernummer', 'st.-nr', 'st-nr', 'steuer-nr', 'stnr', 'steuernr', 'finanzamt'],
  },
  {
    type: 'de_vat',
    pattern: /\bDE[ .-]?\d{3}[ .-]?\d{3}[ .-]?\d{3}\b/i,
    score: (candidate) => (passesMod11And10(digitsOf(candidate)) ? 0.75 : 0),
    context: ['ust-id', 'ust-idnr', 'ustid', 'umsatzsteuer', 'vat', 'mwst'],
  },
  {
    type: 'de_social_security',
    pattern: /\b\d{2}[ .-]?\d{6}[ .-]{0,2}[A-Z][ .-]?\d{3}\b/i,
    score: (candidate) => (isSocialSecurity(alphanumericOf(candidate)) ? evidence.certain : 0),
    context: [
      'rentenversicherungsnummer',
      'sozialversicherungsnummer',
      'rvnr',
      'svnr',
      'versicherungsnummer',
    ],
  },
  {
    type: 'de_health_insurance',
    pattern: /\b[A-Z](?:\d{9}| ?\d{3} \d{3} \d{3})\b/i,
    score: (candidate) => (isHealthInsurance(alphanumericOf(candidate)) ? evidence.likely : 0),
    context: ['krankenversichertennummer', 'kvnr', 'versichertennummer', 'krankenkasse', 'gesundheitskarte'],
  },
  {
    // Nine characters; in the machine-readable zone, followed by their check digit.
    type: 'de_id_card',
    pattern: /\b[CFGHJ-NPRTV-Z][0-9CFGHJ-NPRTV-Z]{7}\d\d?\b/i,
    score: (candidate) => {
      if (candidate.length === 9) return hasDigits(candidate) ? evidence.format : 0
      return hasIcaoCheck(candidate.toUpperCase()) ? evidence.likely : 0
    },
    context: [
      'personalausweis',
      'ausweisnummer',
      'ausweis',
      'id card',
      'identity card',
      'personalausweisnummer',
    ],
  },
  {
    type: 'de_passport',
    pattern: /\b[CFGHJK][0-9CFGHJ-NPRTV-Z]{8}\d?\b/i,
    score: (candidate) => {
      if (hasIcaoCheck(candidate.toUpperCase()))
        return candidate.length === 10 ? evidence.likely : evidence.format
      return candidate.length === 9 && hasDigits(candidate) ? evidence.faint : 0
    },
    context: ['reisepass', 'passnummer', 'pass', 'passport', 'reisepassnummer'],
  },
  {
    type: 'de_driving_licence',
    pattern: /\b[A-Z][0-9A-Z]{2}[0-9A-Z]{6}\d[0-9A-Z]\b/i,
    score: (candidate) => {
      if (/^[A-Z]{2}\d{8}[0-9A-Z]$/i.test(candidate)) return evidence.format
      return hasDigits(candidate) ? evidence.faint : 0
    },
    needsWord: true,
    context: [
      'führerschein',
      'fuehrerschein',
      'fahrerlaubnis',
      'führerscheinnummer',
      'driving licence',
      'driver license',
    ],
  },
  {
    // The lifelong number of a physician: the seventh digit is the check digit, followed by the specialty.
    type: 'de_lanr',
    pattern: /\b\d{9}\b/,
    score: (candidate) => (isPhysicianNumber(candidate) ? evidence.format : 0),
    needsWord: true,
    context: ['lanr', 'arztnummer', 'arzt', 'lebenslange arztnummer'],
  },
  {
    // The number of a practice: it begins with the association of physicians.
    type: 'de_bsnr',
    pattern: /\b(?:0[1-3]|17|20|35|38|46|5[12]|7[1-48]|83|88|93|9[89])\d{7}\b/,
    score: (candidate) => (isRepetition(candidate) ? 0 : evidence.format),
    needsWord: true,
    context: ['bsnr', 'betriebsstättennummer', 'betriebsstaettennummer', 'betriebsstätte', 'praxis'],
  },
  {
    type: 'de_commercial_register',
    pattern: /\bHR[AB][ -]?\d{1,6}(?: ?[A-Z])?\b/i,
    score: evidence.format,
    context: ['handelsregister', 'handelsregisternummer', 'registergericht', 'amtsgericht', 'registernummer'],
  },
  {
    type: 'de_vehicle_registration',
    pattern: /(?<![\w-])[A-ZÄÖÜ]{1,3}[- ][A-Z]{1,2}[- ]?[1-9]\d{0,3}[EH]?\b/,
    score: evidence.format,
    context: ['kennzeichen', 'kfz', 'nummernschild', 'kfz-kennzeichen', 'fahrzeug', 'autokennzeichen'],
  },
  {
    type: 'de_postcode',
    pattern: /\b\d{5}\b/,
    score: (candidate) => (Number(candidate) >= 1001 && Number(candidate) <= 99998 ? evidence.format : 0),
    needsWord: true,
    context: ['plz', 'postleitzahl', 'postal code', 'anschrift', 'adresse', 'wohnhaft'],
  },
])

/**
 * Federal Central Tax Office: one of the first ten digits may occur twice or three times, the others once; MOD 11,10.
 */
function isTaxId(digits: string): boolean {
  if (!passesMod11And10(digits)) return false
  const counts = [...'0123456789'].map((digit) => digits.slice(0, 10).split(digit).length - 1)
  const repeated = counts.filter((count) => count > 1)
  return repeated.length <= 1 && (repeated[0] ?? 2) <= 3
}

/** Deutsche Rentenversicherung: area, birthday, initial, serial number, check digit by digit sums. */
function isSocialSecurity(text: string): boolean {
  const day = Number(text.slice(2, 4)) % 50
  const month = Number(text.slice(4, 6))
  if (day < 1 || day > 31 || month < 1 || month > 12) return false
  const letter = String(base36Value(text.charAt(8)) - 9).padStart(2, '0')
  return (
    digitSums(text.slice(0, 8) + letter + text.slice(9, 11), [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]) % 10 ===
    Number(text[11])
  )
}

/** GKV-Spitzenverband: the letter as two digits, weights 1 and 2, check digit by digit sums. */
function isHealthInsurance(text: string): boolean {
  const letter = String(base36Value(text.charAt(0)) - 9).padStart(2, '0')
  return digitSums(letter + text.slice(1, 9), [1, 2, 1, 2, 1, 2, 1, 2, 1, 2]) % 10 === Number(text[9])
}

function isPhysicianNumber(digits: string): boolean {
  const check = (10 - (weightedSum(digits, [4, 9, 4, 9, 4, 9]) % 10)) % 10
  return check === Number(digits[6]) && !isRepetition(digits)
}

/** ICAO 9303: weights 7, 3, 1 over all characters but the last. */
function hasIcaoCheck(text: string): boolean {
  const sum = [...text.slice(0, -1)].reduce(
    (total, c, at) => total + base36Value(c) * (at % 3 === 0 ? 7 : at % 3 === 1 ? 3 : 1),
    0,
  )
  return String(sum % 10) === text.at(-1)
}

/** A document number has at least three digits and a letter: words are rejected. */
function hasDigits(text: string): boolean {
  return digitsOf(text).length >= 3 && !/^\d+$/.test(text)
}

function digitSums(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => {
    const product = weight * Number(digits[index])
    return sum + Math.floor(product / 10) + (product % 10)
  }, 0)
}
