import type { PatternRecognizer } from '@millrace/guards/scanner'
import { isDay } from './checksum/calendar.ts'

/** In English, German, French, Spanish, Italian, Portuguese and Dutch. */
const NAMES =
  'january|jan|februar|february|feb|march|mar|april|apr|may|june|jun|july|jul|august|aug|september|sept|sep|october|oct|' +
  'november|nov|december|dec|januar|märz|mai|juni|juli|oktober|okt|dezember|dez|janvier|janv|février|févr|mars|avril|juin|' +
  'juillet|juil|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|' +
  'octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|' +
  'março|maio|junho|julho|setembro|outubro|novembro|dezembro|januari|februari|maart|mei|augustus'
const MONTHS = `(?:${NAMES})\\.?`
const DAY = '(?:0?[1-9]|[12]\\d|3[01])'
const YEAR = '(?:18|19|20)\\d{2}'

/** A calendar date is somebody's birthday only by the words before it. */
export const dateOfBirth: PatternRecognizer[] = [
  {
    type: 'date_of_birth',
    pattern: new RegExp(
      `\\b(?:${YEAR}[-/.]\\d{1,2}[-/.]\\d{1,2}|\\d{1,2}[-/.] ?\\d{1,2}[-/.] ?(?:${YEAR}|\\d{2})|${DAY}(?:st|nd|rd|th|er|\\.)?[ -](?:of |de )?${MONTHS},?(?: de)?[ -]${YEAR}|${YEAR}(?:0[1-9]|1[0-2])${DAY}|${YEAR}年 ?\\d{1,2}月 ?\\d{1,2}日|${MONTHS} ${DAY}(?:st|nd|rd|th)?,? ${YEAR})(?!\\w)`,
      'i',
    ),
    score: (candidate, before) => (BIRTH.test(before) && isPlausible(candidate) ? 0.9 : 0),
  },
]

/** Up to two other words may stand between. */
const BIRTH =
  /(?:\bborn|(?:date|day)[ _-]?of[ _-]?birth|(?<![a-z])birth[ _-]?da(?:te|y)|\bdob|\bd\.o\.b|\bbirth(?:day|date|dates)?|\bdate of birth|\bgeb(?:oren|urtsdatum|urtstag|\.)?|\bné\(?e?\)?|\bnaissance|\bnacid[oa]|\bnacimiento|\bnascimento|\bnat[oa]|\bnascita|\bgeboren|\bgeboortedatum|\bfödd|\bfødt|\bsyntynyt|\burodzon[ya]|\burodzenia|\bdoğum|जन्म|생년월일|出生|生年月日)[^\p{L}\p{N}]{0,5}(?:\p{L}{1,12}[^\p{L}\p{N}]{1,5}){0,2}$/iu

function isPlausible(text: string): boolean {
  const numbers =
    text
      .replace(/^(\d{4})(\d\d)(\d\d)$/, '$1-$2-$3')
      .match(/\d+/g)
      ?.map(Number) ?? []
  if (numbers.length < 3) return true
  const [a = 0, b = 0, c = 0] = numbers
  return a > 31 ? isDay(a, b, c) : isDay(c, b, a) || isDay(c, a, b)
}
