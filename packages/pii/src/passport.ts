import type { PatternRecognizer } from '@millrace/guards/scanner'
import { base36Value, digitsOf } from './checksum/digits.ts'

/**
 * Passports of any country (ICAO 9303: up to nine letters and digits), after context words; the internal passport of
 * Russia, with a series and a number; and machine-readable zones of any passport.
 */
export const passport: PatternRecognizer[] = [
  {
    type: 'passport',
    pattern:
      /(?<![\w-])(?:[A-Z]{1,3} ?\d{6,8}[A-Z]?|[A-Z]{1,3}\d[A-Z0-9]{5,7}|\d{2} ?\d{2},? ?(?:номер:? ?|№ ?)?\d{6}|\d{2} \d{7}|\d{8,9}|[A-Z]{1,2}(?: \d{3} |-\d{3})\d{3,4}|\d{3} \d{3} \d{3}|\d{2} [A-Z]{2} \d{5})(?![\w-])/i,
    score: (candidate, before) => {
      const digits = digitsOf(candidate).length
      if (digits < 4) return 0
      if (digits === 10 && /^\d{2} ?\d{2}/.test(candidate) && SERIES.test(before)) return 0.65
      // Russian passports: a series and a number are distinctive.
      const isSeries = digits === 10 && /^\d{2} \d{2}|^\d{4}[, ]/.test(candidate)
      const words = isSeries || /[a-z]/i.test(candidate) ? PASSPORT : PASSPORT_NUMBER
      return words.test(before) ? 0.65 : 0
    },
  },
  {
    type: 'passport',
    id: 'passport_name_line',
    pattern: /(?<![\w<])P[A-Z<][A-Z]{3}[A-Z<]{39}(?![\w<])/,
    score: (candidate) => (candidate.includes('<<') ? 0.95 : 0),
  },
  {
    type: 'passport',
    id: 'passport_number_line',
    pattern: /(?<![\w<])[A-Z0-9<]{9}\d[A-Z<]{3}\d{7}[FMX<]\d{7}[A-Z0-9<]{14}[\d<]\d(?![\w<])/,
    score: (candidate) => (MRZ_FIELDS.every(([from, to]) => hasCheckDigit(candidate, from, to)) ? 0.95 : 0),
  },
]

const WORDS = [
  'passport|passeport|pasaporte|passaport[eo]|pasaport(?:u|um|unuz)?|pašaport|paszport\\p{L}{0,3}|paspoort|paspor|pașaport\\p{L}{0,3}',
  'ppt|pp (?:no|nr|number|num)|(?:pa(?:ss|ß)|pas|passi)[-_ ]?(?:nr|no|nummer|numero)|(?:nr|nummer)\\.? des (?:reise)?passes|reisepass(?:es)?|útlevél|διαβατηρί\\p{L}{1,3}|hộ chiếu|דרכון',
  '(?:загран)?паспорт\\p{L}{0,3}|пасп|загран',
  'travel document',
]
/** Context words that are also matched within longer words, or between words without spaces. */
const PARTS =
  'passport|reisepass|паспорт|パスポート|旅券|护照|護照|여권|जवाज|पासपोर्ट|جواز (?:ال)?سفر\\p{L}{0,2}|جواز رقم|الجواز|جواز(?:ي|ك|ه|ها)'
/** Words for a passport's number. If the candidate has digits only, no other words may be in between. */
const NUMBER =
  'numbers?|num|no|nr|nummer|number is|is|id|card|book|n|numéro|número|numero|numer|numarası|numarasi|numara|nomor|numero di|номер\\p{L}{0,2}|n[º°]|de|est|es|è|é|le|ist|lautet|рф|серии|серия|и|данные|uk|us|usa|رقم|הוא|מספר|số|नंबर|संख्या|αριθμός'
const ENDINGS =
  '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Hangul}]{0,5}(?:[^\\p{L}\\p{N}]{0,3}|[^\\p{L}\\p{N}]{6,48})$'
const NAMED = `(?:(?<!\\p{L})(?:${WORDS.join('|')})(?:[-_ ]?(?:nr|no|nummer|number|numero|num))?(?!\\p{L})|${PARTS})`

/** Up to three other words may be in between. */
const PASSPORT = new RegExp(
  `${NAMED}[^\\p{L}\\p{N}]{0,5}(?:[\\p{L}\\p{M}]{1,14}[^\\p{L}\\p{N}]{1,5}){0,3}${ENDINGS}`,
  'iu',
)
const PASSPORT_NUMBER = new RegExp(
  `${NAMED}[^\\p{L}\\p{N}]{0,5}(?:(?:${NUMBER})[^\\p{L}\\p{N}]{1,5}){0,3}${ENDINGS}`,
  'iu',
)
/** The series of a Russian internal passport. */
const SERIES = /(?<!\p{L})сери[яи][^\p{L}\p{N}]{1,3}$/iu

/** ICAO 9303-4: the fields of the second line, each followed by its check digit. */
const MRZ_FIELDS = [
  [0, 9],
  [13, 19],
  [21, 27],
] as const

/** ICAO 9303-3: weights 7, 3, 1; a filler counts as 0. */
function hasCheckDigit(line: string, from: number, to: number): boolean {
  let sum = 0
  for (let place = from; place < to; place++) {
    const character = line.charAt(place)
    const weight = [7, 3, 1][(place - from) % 3] as number
    sum += character === '<' ? 0 : base36Value(character) * weight
  }
  return sum % 10 === Number(line[to])
}
