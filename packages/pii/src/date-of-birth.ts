import type { PatternRecognizer } from '@millrace/guards/scanner'
import { isDay } from './checksum/calendar.ts'

/** In English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Turkish, Russian and Arabic. */
const NAMES =
  'january|jan|februar|february|feb|march|mar|april|apr|may|june|jun|july|jul|august|aug|september|sept|sep|october|oct|' +
  'november|nov|december|dec|januar|märz|mai|juni|juli|oktober|okt|dezember|dez|janvier|janv|février|févr|mars|avril|juin|' +
  'juillet|juil|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|' +
  'octubre|noviembre|diciembre|gennaio|febbraio|aprile|maggio|giugno|luglio|settembre|ottobre|dicembre|janeiro|fevereiro|' +
  'março|maio|junho|julho|setembro|outubro|novembro|dezembro|januari|februari|maart|mei|augustus|stycznia|lutego|marca|' +
  'kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada|grudnia|ocak|şubat|mart|nisan|mayıs|haziran|temmuz|' +
  'ağustos|eylül|ekim|kasım|aralık|января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря|يناير|' +
  'فبراير|مارس|أبريل|ابريل|مايو|يونيو|يونية|يوليو|يولية|أغسطس|اغسطس|سبتمبر|أكتوبر|اكتوبر|نوفمبر|ديسمبر'
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

/** Up to three other words may stand between. */
const BIRTH =
  /(?:\bborn|(?:date|day)[ _-]?of[ _-]?birth|(?<![a-z])birth[ _-]?da(?:te|y)|\bdob|\bd\.o\.b|\bbirth(?:day|date|dates)?|\bdate of birth|\bgeb(?:oren|urtsdatum|urtstag|\.)?|\bné\(?e?\)?|\bnaissance|\bnacid[oa]|\bnació|\bnacimiento|\bnascimento|\bnascid[oa]|\bnat[oa]|\bnascita|\bgeboren|\bgeboortedatum|\bfödd|\bfødt|\bsyntynyt|\burodz(?:on[ya]|enia|ił|iła)|\bur\.|\bdoğum|\bdoğdu|जन्म|생년월일|출생|出生|生年月日|誕生日|生日|生于|生於|(?<!\p{L})(?:дат[аы]|день|год)\s+рождения|(?<!\p{L})рожд(?:ения|\.)|(?<!\p{L})родил(?:ся|ась)|(?<!\p{L})д\.\s?р\.|(?<!\p{L})г\.\s?р\.|ميلاد|مولود|(?<!\p{L})ولدت?(?!\p{L}))[^\p{L}\p{N}]{0,5}(?:\p{L}{1,12}[^\p{L}\p{N}]{1,5}){0,3}(?:[是为為は]\s?)?$/iu

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
