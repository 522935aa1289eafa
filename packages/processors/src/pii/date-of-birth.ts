import type { PatternRecognizer } from '../scanner/recognizer.ts'
import { isDay } from './checksum/calendar.ts'

const MONTHS =
  '(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\\.?'
const DAY = '(?:0?[1-9]|[12]\\d|3[01])'
const YEAR = '(?:18|19|20)\\d{2}'

/** A calendar date is somebody's birthday only by the words before it. */
export const dateOfBirth: PatternRecognizer[] = [
  {
    type: 'date_of_birth',
    pattern: new RegExp(
      `\\b(?:${YEAR}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.] ?\\d{1,2}[-/.] ?(?:${YEAR}|\\d{2})|${DAY}(?:st|nd|rd|th|\\.)?[ -](?:of )?${MONTHS},?[ -]${YEAR}|${MONTHS} ${DAY}(?:st|nd|rd|th)?,? ${YEAR})\\b`,
      'i',
    ),
    score: (candidate, before) => (BIRTH.test(before) && isPlausible(candidate) ? 0.9 : 0),
  },
]

/** Up to two other words may stand between. */
const BIRTH =
  /(?:\bborn|\bdob|\bd\.o\.b|\bbirth(?:day|date|dates)?|\bdate of birth|\bgeb(?:oren|urtsdatum|urtstag|\.)?|\bné\(?e?\)?|\bnaissance|\bnacid[oa]|\bnacimiento|\bnascimento|\bnat[oa]|\bnascita|\bgeboren|\bgeboortedatum|\bfödd|\bfødt|\bsyntynyt|\burodzon[ya]|\burodzenia|\bdoğum|जन्म|생년월일|出生|生年月日)[^\p{L}\p{N}]{0,4}(?:\p{L}{1,12}[^\p{L}\p{N}]{1,3}){0,2}$/iu

function isPlausible(text: string): boolean {
  const numbers = text.match(/\d+/g)?.map(Number) ?? []
  if (numbers.length < 3) return true
  const [a = 0, b = 0, c = 0] = numbers
  return a > 31 ? isDay(a, b, c) : isDay(c, b, a) || isDay(c, a, b)
}
