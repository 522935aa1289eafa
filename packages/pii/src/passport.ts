import type { PatternRecognizer } from '@millrace/guards/scanner'

/**
 * Passports of any country (ICAO 9303: up to nine letters and digits), by the words right before them, and the internal one of
 * Russia, of a series and a number.
 */
export const passport: PatternRecognizer[] = [
  {
    type: 'passport',
    pattern:
      /(?<![\w-])(?:[A-Z]{1,3} ?\d{6,8}[A-Z]?|\d{2} ?\d{2},? ?(?:номер:? ?|№ ?)?\d{6}|\d{8,9})(?![\w-])/i,
    score: (_, before) => (PASSPORT.test(before) ? 0.65 : 0),
  },
]

/** Up to three other words may stand between. */
const PASSPORT =
  /(?:passport|passeport|pasaporte|passaport[eo]|reisepass|paspoort|paszport\p{L}{0,3}|паспорт\p{L}{0,3}|серия|pasaportu?|パスポート|旅券|护照|護照|여권|جواز (?:ال)?سفر\p{L}{0,2}|الجواز)[^\p{L}\p{N}]{0,5}(?:\p{L}{1,14}[^\p{L}\p{N}]{1,5}){0,3}(?:番号|号码|號碼|号|번호)?[^\p{L}\p{N}]{0,3}$/iu
