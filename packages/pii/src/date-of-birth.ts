import type { PatternRecognizer } from '@millrace/guards/scanner'
import { isDay } from './checksum/calendar.ts'

/** Month names by language. A name that several languages share is listed with the first. */
const NAMES = [
  `january jan february feb march mar april apr may june jun july jul august aug september sept sep october oct
    november nov december dec`,
  'januar jänner februar märz mai juni juli oktober okt dezember dez',
  'janvier janv février févr mars avril juin juillet juil août septembre octobre novembre décembre déc',
  'enero febrero marzo abril mayo junio julio agosto septiembre setiembre octubre noviembre diciembre',
  'gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre',
  'janeiro fevereiro março maio junho julho setembro outubro novembro dezembro',
  'januari februari maart mei augustus marts augusti desember maret agustus',
  'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia',
  'ledna února března dubna května června července srpna září října listopadu prosince',
  'ianuarie februarie martie aprilie iunie iulie septembrie octombrie noiembrie decembrie',
  'tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta',
  'ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık',
  'января февраля марта апреля мая июня июля августа сентября октября ноября декабря',
  'січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня',
  'ιανουαρίου φεβρουαρίου μαρτίου απριλίου μαΐου ιουνίου ιουλίου αυγούστου σεπτεμβρίου οκτωβρίου νοεμβρίου δεκεμβρίου',
  'يناير فبراير مارس أبريل ابريل مايو يونيو يونية يوليو يولية أغسطس اغسطس سبتمبر أكتوبر اكتوبر نوفمبر ديسمبر',
  'mrt mär mrz maerz fév avr juil aoû ene abr ago set dic fev out dez gen mag giu lug ott sty lut kwi maj cze lip sie wrz paź lis gru',
  'янв фев мар апр июн июл авг сен сент окт ноя нояб дек',
  'آذار شباط نيسان أيار حزيران تموز آب أيلول جانفي فيفري أفريل ماي جوان جويلية أوت',
  'जनवरी फरवरी फ़रवरी मार्च अप्रैल मई जून जुलाई अगस्त सितंबर सितम्बर अक्टूबर अक्तूबर नवंबर नवम्बर दिसंबर दिसम्बर',
]
const MONTHS = `(?:${[...new Set(NAMES.join(' ').split(/\s+/))].join('|')}|(?:كانون|تشرين) (?:الأول|الثاني))\\.?`
/** Roman numerals as months, between the day and the year, as used in Poland and Hungary. */
const ROMAN_MONTHS = '(?:I{1,3}|I?[VX]|VI{1,3}|XI{1,2})'
const DAY = '(?:0?[1-9]|[12]\\d|3[01])'
const YEAR = '(?:18|19|20)\\d{2}'
const DATES = [
  `${YEAR}[-/.] ?\\d{1,2}[-/.] ?\\d{1,2}\\.?`,
  `\\d{1,2}[-/.] ?\\d{1,2}[-/.] ?(?:${YEAR}|\\d{2})`,
  `${DAY}(?:st|nd|rd|th|er|°|º|\\.)?(?:[ \\-/]|(?<=\\.))(?:of |de |di )?${MONTHS},?(?: de| del)?[ \\-/]${YEAR}`,
  `${MONTHS} ${DAY}(?:st|nd|rd|th)?,?(?: de| del)? ${YEAR}`,
  `${YEAR} ?[年년] ?\\d{1,2} ?[月월] ?\\d{1,2} ?[日일]`,
  '(?:明治|大正|昭和|平成|令和)(?:\\d{1,2}|元)年 ?\\d{1,2}月 ?\\d{1,2}日',
]
/** Dates that could also be other numbers: they require a context word before them. */
const LOOSE_DATES = [
  `${YEAR}(?: ?[-/.] ?| )\\d{1,2}(?: ?[-/.] ?| )\\d{1,2}\\.?`,
  `\\d{1,2}(?: ?[-/._] ?| )\\d{1,2}(?: ?[-/._] ?| )(?:${YEAR}|\\d{2})(?: ?[rг]\\.)?`,
  `${DAY}[. \\-/]{0,2}${MONTHS}[ \\-/]?(?:${YEAR}|'?\\d{2})`,
  `«${DAY}» ${MONTHS} ${YEAR}`,
  `${DAY}[. \\-/]{1,2}${ROMAN_MONTHS}[. \\-/]{1,2}${YEAR}(?: ?[rг]\\.)?`,
  `(?:0[1-9]|[12]\\d|3[01])(?:0[1-9]|1[0-2])${YEAR}`,
  '\\d{2}年\\d{1,2}月\\d{1,2}日',
  '[一二两三四五六七八九〇零○]{4}年[一二三四五六七八九十]{1,3}月[一二三四五六七八九十]{1,3}[日号]',
  '[MTSHR]\\d{1,2}[./]\\d{1,2}[./]\\d{1,2}',
]
/** Without separators, a date looks like any number. */
const COMPACT = `${YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])`
const TIME = '[T ]\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:?\\d\\d)?'

/** Words after a date that make it a date of birth. */
const BEHIND = [
  ` ?[(,–-] ?(?:${[
    '(?:my |his |her )?(?:dob|d\\.o\\.b\\.?|date of birth|birth ?date|birthday)',
    '(?:mein )?(?:geb\\.|geburtsdatum|geburtstag)',
    'date de naissance|ddn|fecha de nacimiento|f\\. ?nac\\.|data di nascita|data de nascimento|geboortedatum|geb\\.datum',
    'data urodzenia|ur\\.|дата рождения|д\\. ?р\\.|生年月日|誕生日|出生日期|生日|تاريخ الميلاد|تاريخ الولادة',
  ].join('|')})\\)?`,
  ' (?:is|ist|est|es|è|is|to|é|— это) (?:my|his|her|mein|sein|ihr|ma|mi|su|la mia|mijn|moja|a minha|моя|мой) (?:dob|date of birth|birth ?date|birthday|geburtsdatum|geburtstag|date de naissance|fecha de nacimiento|data di nascita|geboortedatum|data urodzenia|data de nascimento|дата рождения|день рождения)',
  '(?: in \\p{L}{2,20})? geboren',
  ' ?г\\. ?р\\.',
  ' (?:г\\.|года?) рожд(?:ения|\\.)',
  ' ?(?:に)?(?:生まれ|出生)',
  ' ?(?:에 )?(?:출생|태어)',
  " ?(?:'?[dt][eaiıuü])? ?doğum",
]

/** Dates that context words identify as dates of birth. */
export const dateOfBirth: PatternRecognizer[] = [
  {
    type: 'date_of_birth',
    pattern: new RegExp(
      `(?<!\\w)(?:(?:${[...DATES, ...LOOSE_DATES, COMPACT].join('|')})(?:${TIME})?)(?!\\w)`,
      'i',
    ),
    score: (candidate, before) => (BIRTH.test(before) && isPlausible(candidate) ? 0.9 : 0),
  },
  {
    type: 'date_of_birth',
    id: 'date_before_birth',
    pattern: new RegExp(`(?<!\\w)(?:${DATES.join('|')})(?:${BEHIND.join('|')})`, 'iu'),
    score: (candidate) => (isPlausible(candidate.replace(BORN, '')) ? 0.9 : 0),
    part: (match) => [0, match.search(BORN)],
  },
]

const BORN = new RegExp(`(?:${BEHIND.join('|')})$`, 'iu')

/** Context words of languages with spaces between words: matched as whole words. */
const WORDS = [
  'born|d\\.?[ _]?o\\.?[ _]?b|b-?days?|birthdays?|birth[ _-]?dt|b\\.? ?date',
  'geb(?:oren\\p{L}{0,2}|\\.|(?:[ -]|(?=d)){0,2}dat(?:um|\\.)?)|geb(?= am )|geb\\. ?-?dat(?:um|\\.)?|geburts(?:datum|dat\\.?|tag)\\p{L}{0,2}|tag der geburt',
  'née?s?|né\\(e\\)|anniversaire|naiss\\.?|ddn',
  'nac(?:id[oa]s?|ió|í|\\.)|f(?:ec(?:ha)?|ch)?\\.? ?(?:de )?nac|cumpleaños|fdn|f\\. ?n\\.',
  'nat[oa]|compleanno|d\\. ?d\\. ?n\\.',
  'nasc(?:id[oa]|i|eu|\\.)|d(?:ata|t)\\.? ?(?:de )?nasc|aniversário|d\\. ?n\\.',
  'geboorte[ _-]?(?:datum|dag)|verjaardag|datum van geboorte|g\\. ?d\\.',
  'ur\\.|urodz(?:\\p{L}{1,7}|\\.)',
  'född|födelse(?:datum|dag)|født|fødsels(?:dato|dag)',
  'syntynyt|syntymä(?:aika|päivä)',
  'născut[ăe]?|naștere|nașterii',
  'naroz\\p{L}{1,4}|narod\\p{L}{1,6}|nar\\.',
  'szület\\p{L}{1,5}|szül\\.',
  'doğ(?:um|du)\\p{L}{0,9}',
  'рожд(?:\\p{L}{0,6}|\\.)|рожд[её]н\\p{L}{0,2}|родил(?:ся|ась|и)|[дг]\\.\\s?р|д/р|(?<!и )др(?!\\.)|народж\\p{L}{1,7}|народи(?:вся|лася)',
  'γέννησης|γεννήθηκ\\p{L}{1,4}|γεν\\.',
  'ngày sinh|sinh (?:ngày|năm)|lahir|kelahiran',
  '\\p{L}?לידה|נולד\\p{L}?',
  'و\\p{M}?لدت?|تاريخ (?:ال)?(?:ولادة?|ازدياد|ميلاد)\\p{L}{0,3}|ولادت\\p{L}{1,3}',
]
/** Context words that are also matched within longer words. */
const PARTS = [
  '(?:date|day)[ _-]?of[ _-]?birth|birth[ _-]?(?:date|dt)|birth[ _-]?day',
  'naissance|nacimiento|nascita|nascimento|geburtsdatum|gebdat|urodzenia|рождения',
  'ميلاد|مولود|مواليد|الولادة|जन्म',
  '出生|生年|誕生日|誕生年|生まれ|生日|生于|生於|诞辰|생년월일|출생|생일|태어',
]

const NAMED = `(?:(?<!\\p{L})(?:${WORDS.join('|')})(?![\\p{L}\\p{M}])|(?<=[(,;] ?)b\\.|(?<=\\()\\*|${PARTS.join('|')})`

/** Up to three other words may be in between, or a line of dots, or endings in languages without spaces. */
const BIRTH = new RegExp(
  `${NAMED}(?:[^\\p{L}\\p{N}]{0,5}(?:[\\p{L}\\p{M}]{1,14}[^\\p{L}\\p{N}]{1,5}){0,3}` +
    '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Hangul}]{0,3}\\s?|[^\\p{L}\\p{N}]{6,48})$',
  'iu',
)

function isPlausible(text: string): boolean {
  const numbers =
    text
      .replace(/[T ]\d\d:.*$/i, '')
      .replace(/^((?:18|19|20)\d\d)(\d\d)(\d\d)$/, '$1-$2-$3')
      .replace(/^(\d\d)(\d\d)(\d{4})$/, '$1-$2-$3')
      .match(/\d+/g)
      ?.map(Number) ?? []
  if (numbers.length < 3) return true
  const [a = 0, b = 0, c = 0] = numbers
  return a > 31 ? isDay(a, b, c) : isDay(c, b, a) || isDay(c, a, b)
}
