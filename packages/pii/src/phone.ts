import { yieldToEventLoop } from '@millrace/guards/guard'
import type { PatternRecognizer } from '@millrace/guards/scanner'
import { callingCodes } from './calling-codes.ts'
import { digitsOf, isRepetition } from './checksum/digits.ts'
import { evidence, isInRow, isWithinRow } from './evidence.ts'
import { groupsOf, type NumberPlan } from './number-plan.ts'
import { PhoneMetadata, type PhoneTable } from './phone-metadata.ts'

/**
 * Phone numbers: international ones (ITU-T E.164) of any country; national ones by the numbering plans of `regions`,
 * ISO 3166-1 alpha-2; others, such as local ones without an area code, after a word like "call". The call loads the
 * numbering plans. `byForm`: numbers without grouping count as well.
 */
export async function phone(
  regions: readonly string[],
  { byForm = false }: { byForm?: boolean } = {},
): Promise<PatternRecognizer[]> {
  const { default: table } = await import('libphonenumber-js/max/metadata')
  await yieldToEventLoop()
  const metadata = new PhoneMetadata(table as unknown as PhoneTable)
  const codes = callingCodes(metadata)
  const plans: NumberPlan[] = []
  for (const region of regions) {
    if (!metadata.hasCountry(region)) continue
    plans.push(codes.plan(region))
    await yieldToEventLoop()
  }
  const plansWithTrunk = byLength(
    plans,
    (plan, length) => plan.hasLength(length) || plan.hasLength(length - 1),
  )
  const withoutTrunkZero = plans.filter(({ region }) => !TRUNK_ZERO.has(region))
  const plansWithoutTrunk = byLength(withoutTrunkZero, (plan, length) => plan.hasLength(length))
  const mayBeGrouped = groupingTest(withoutTrunkZero.flatMap((plan) => plan.groupings))

  function scoreInternational(dialled: string): number {
    // Mobile numbers of Mexico had a 1 before them until 2019; messengers still show it.
    const digits = dialled.replace(/^521(?=\d{10}$)/, '52')
    const status = codes.status(digits)
    return status === 'assigned' ? evidence.certain : status === 'possible' ? 0.6 : 0
  }

  /**
   * The score by the plans of the countries in which the number is assigned. `anyGrouping`: the grouping is ignored.
   */
  function scoreNational(
    text: string,
    { digits, groups, anyGrouping }: { digits: string; groups: readonly string[]; anyGrouping: boolean },
  ): number {
    let score: number = evidence.faint
    const trunk = digits.startsWith('0')
    for (const plan of (trunk ? plansWithTrunk : plansWithoutTrunk)[digits.length] ?? []) {
      if (!plan.isAssigned(digits)) {
        if (!trunk || plan.mayHave(digits) || !plan.isAssigned(digits.slice(1))) continue
      } else if (!byForm && !trunk && !plan.isGrouped(digits, groups)) {
        score = evidence.format
        continue
      }
      const number = codes.nationalNumber(plan, digits)
      if (number === undefined) continue
      // The trunk prefix is missing, although the country writes it.
      if (number === digits && !WITHOUT_TRUNK_PREFIX.has(plan.region) && plan.isWrittenOtherwise(number))
        continue
      if (number.length >= 8 && groups.length > 1) {
        // Grouped as its country does, or in any way with a trunk prefix.
        if (text.startsWith('0') || groups.join() === plan.written(number).join()) return 0.6
      }
      score = evidence.format
      if (anyGrouping) return score
    }
    return score
  }

  function scoreNumber(text: string, number: Parameters<typeof scoreNational>[1]): number {
    const { digits } = number
    if (isInternational(text)) {
      // The trunk prefix in parentheses is not dialed from abroad, but in some countries it is part of the number.
      const [outside = '', inside] = text.split('(0)')
      const dialled = inside === undefined ? digits : digitsOf(outside) + digitsOf(inside)
      return Math.max(scoreInternational(digits), scoreInternational(dialled))
    }
    if (digits.startsWith('00')) return scoreInternational(digits.slice(2)) && 0.6
    if (number.groups.length === 4 && /^1\d{10}$/.test(digits) && number.groups[0] === '1') {
      return scoreInternational(digits) && 0.6
    }
    return scoreNational(text, number)
  }

  return [
    {
      type: 'phone',
      pattern:
        /(?<![0-9_.@/+-])(?:\+ ?|00|\(\+\d{1,3}\)[-. /–\u00a0]{0,2})?(?:\d{1,4}[-. /–\u00a0]{0,2})?(?:(?:\(\d{1,5}\)|\[0?\d{2,5}\])[-. /–\u00a0]{0,2})?\d(?:(?:[-. /–\u00a0]{0,2}| [-./–] )\d){4,14}(?:,? ?(?:ext\.?|x|#) ?\d{1,6})?(?![\w@%-])/,
      score: (candidate, before, counts, following) => {
        if (isHexadecimal(before)) return 0
        if (!mayBegin(before)) return -1
        const isPrefixed = /^[+([]/.test(candidate)
        // A score below 0 also rejects the shorter candidates, which have the same first group.
        if (!isPrefixed && isWithinRow(candidate, before, LEAST_DIGITS)) return -1
        const hasExtension = candidate.includes('x') || candidate.includes('#')
        const text = hasExtension ? candidate.replace(/,? ?(?:ext\.?|x|#) ?\d{1,6}$/, '') : candidate
        // Numbers with a trunk prefix may follow each other.
        if (!isPrefixed && isInRow(text, before, text.startsWith('0') ? '' : following)) return 0
        const outline = outlineOf(text)
        const length = outline & 15
        if (length < 6 || (length < 7 && !INTRODUCTION.test(before))) return 0
        // Most candidates are national numbers without a prefix and without a known grouping, which require a context
        // word.
        const mayStandAlone =
          byForm || hasPrefix(text) || outline === LONG_DISTANCE || mayBeGrouped(outline >> 4)
        if (!mayStandAlone && !counts(evidence.format)) return 0
        const groups = groupsOf(text)
        const digits = groups.join('')
        if (digits.length > MOST_DIGITS) return 0
        const isFaint = !byForm && isNational(text, digits) && (digits.length < 8 || groups.length < 2)
        if (isFaint && !counts(evidence.faint)) return 0
        if (isFaint && groups.length < 2 && !isNamed(before, digits)) return 0
        if (isRepetition(digits) || isSomethingElse(text) || isPostcode(text, before)) return 0
        if (/^\d\d[ .,]/.test(text) && /\d\d:$/.test(before)) return 0
        // If a context word is required, the number need not be assigned.
        const isBehindLetter = /[a-z]$/.test(before)
        // If the type is named, the grouping is not required.
        const anyGrouping = byForm && !isBehindLetter
        const score = isFaint ? evidence.faint : scoreNumber(text, { digits, groups, anyGrouping })
        // A missing space before the number is accepted only if its grouping is known.
        return score < 0.6 && isBehindLetter ? 0 : score
      },
      context: CONTEXT,
    },
    {
      type: 'phone',
      id: 'wrapped_phone',
      // An international number with a line break, or a North American number with a line break after the area code.
      pattern:
        /(?<![\w.+-])(?:\+\d{1,3}(?:[-. /()\u00a0]{0,2}\d){1,11}[-. )]{0,2}\r?\n {0,4}\d(?:[-. ]?\d){1,9}|\([2-9]\d{2}\)\r?\n {0,4}\d{3}[-. ]\d{4})(?![\w@%-])/,
      score: (candidate) => {
        const digits = digitsOf(candidate)
        return scoreInternational(candidate.startsWith('+') ? digits : `1${digits}`) && 0.7
      },
    },
    {
      type: 'phone',
      id: 'phone_parameter',
      // A URL parameter: escape sequences replace spaces and the plus sign.
      pattern:
        /(?<![\w-])(?:phone|phone_?number|telephone|tel|mobile|msisdn|cell|fax|whatsapp)=(?:%2B|\+|00)?\d(?:(?:%20|[-.+])?\d){6,14}(?![\w%])/i,
      part: (match) => [match.indexOf('=') + 1, match.length],
      score: (candidate) => {
        const value = candidate.slice(candidate.indexOf('=') + 1)
        const digits = digitsOf(value.replace(/%2B|%20/gi, ''))
        if (isRepetition(digits)) return 0
        const isFull = /^(?:%2B|\+|00)/i.test(value)
        return isFull ? scoreInternational(digits.replace(/^00/, '')) : evidence.likely
      },
    },
    {
      type: 'phone',
      id: 'phone_link',
      // A messenger link, or an assigned international number, as in a log.
      pattern: /(?:wa\.me\/|callto:|t\.me\/\+|=(?:%2B|\+))[1-9]\d{7,14}(?![\w%])/i,
      part: (match) => [match.search(/(?:%2B|\+)?\d+$/i), match.length],
      score: (candidate) => scoreInternational(/\d+$/.exec(candidate)?.[0] ?? ''),
    },
    {
      type: 'phone',
      id: 'cn_mobile',
      // Mobile numbers of mainland China: 1, a digit from 3 to 9, and nine digits, in groups of three, four and four.
      pattern: /(?<![\w.+=/-])1[3-9]\d(?:(?: \d{4}){2}|(?:-\d{4}){2}|\d{8})(?![\w@%.-])/,
      score: (candidate, before, _, following) => {
        if (isRepetition(candidate.slice(2)) || isInRow(candidate, before, following)) return 0
        return candidate.length > 11 ? 0.6 : evidence.format
      },
      context: CONTEXT,
    },
    {
      type: 'phone',
      id: 'jp_phone',
      // Numbers of Japan with the exchange in parentheses.
      pattern: /(?<![\w.+=/-])0\d{1,4}\(\d{1,4}\)\d{4}(?![\w@%-])/,
      score: (candidate) => (/^\d{10,11}$/.test(digitsOf(candidate)) ? 0.6 : 0),
      context: CONTEXT,
    },
    {
      type: 'phone',
      id: 'ru_phone',
      // Numbers of Russia and Kazakhstan with the trunk prefix 8, in groups of three, three, two and two.
      pattern:
        /(?<![\w.+/-])(?:8[ -]?(?:\([3-9]\d{2}\) ?|[3-9]\d{2}[ -])\d{3}[ -]\d{2}[ -]\d{2}|8[3-9]\d{9}|\(?9\d{2}\)?[ -]\d{3}-\d{2}-\d{2})(?![\w@%-])/,
      score: (candidate) => {
        const digits = digitsOf(candidate)
        if (isRepetition(digits) || scoreInternational(`7${digits.slice(-10)}`) === 0) return 0
        return digits.length === 11 && candidate.length > 11 ? 0.6 : evidence.format
      },
      context: CONTEXT,
    },
  ]
}

/** Words for a phone and its number. */
const TELEPHONES =
  `phone phones telephone tel telno telnr mobile cell cellphone fax whatsapp viber hotline landline msisdn ph
  telefon telefonnummer rufnummer handy handynummer mobil mobilnummer mobiltelefon durchwahl festnetz notfallkontakt fon
  téléphone téléphonique tél portable
  teléfono telefono teléfonos tfno tlf tlfn tlfno móvil celular
  cellulare recapito cel zap telefonino telefonico telefonica telefónico
  telefone telemóvel telemovel telef tlm fone
  telefoon telefoonnummer telefoonnr mobiel mobielnr gsm
  telefonu telefonie telefoniczny komórka komórkowy kom stacjonarny
  puhelin puh puhelinnumero
  cep gsm telefonum telefonunuz numaram
  mobilnr telefonnr tlfnr
  τηλ τηλέφωνο κινητό
  телефон телефона телефону тел моб мобильный сотовый сотового сот мобила факс мобільний
  טלפון נייד
  هاتف الهاتف هاتفي جوال الجوال جوالي موبايل موبايلي تليفون تلفون المحمول محمولي التواصل للتواصل للاستفسار
  电话 電話 手机 手機 座机 热线 客服 号码是 微信同号 联系方式 聯絡電話 传真 傳真 携帯 ケータイ 連絡先 전화 휴대폰 핸드폰 연락처 문의
  โทร เบอร์ फ़ोन फोन मोबाइल नंबर sđt ponsel telp`
    .trim()
    .split(/\s+/)
/** Words for calling and contacting. */
const CALLS = `helpline infolinia sms signal call called calling dial ring answering message contact contacts
  anrufen rückruf erreichbar erreichen kontakt joignable appelez appeler appelle rappelez rappeler joindre contactez téléphoner téléphonez
  llamar llame llama llámame llámeme llamarme llámanos llamada marque marca marcar localizarme localizas avisar contacto contáctame
  contatto contattare contattami telefonare telefonami reperibile chiamare chiama chiamami chiamate chiamatemi chiamarmi chiamaci richiamami
  ligue ligar liga contato recado bereikbaar bellen bel zadzwoń dzwonić zadzwonić
  ringa ring soita ara arayın
  позвоните позвони звоните звони перезвоните перезвони набери наберите связаться
  اتصل 致电 拨打 请拨 お電話`
  .trim()
  .split(/\s+/)
/** Phrases with a possessive: "number" alone may be of anything. */
const OWN_NUMBERS = [
  'my number',
  'your number',
  'his number',
  'her number',
  'contact number',
  'number is',
  'meine nummer',
  'deine nummer',
  'ihre nummer',
  'mon numéro',
  'ton numéro',
  'votre numéro',
  'mi número',
  'tu número',
  'su número',
  'mio numero',
  'tuo numero',
  'suo numero',
  'meu número',
  'seu número',
  'mijn nummer',
  'mój numer',
  'moj numer',
  'мой номер',
  'мій номер',
  'mitt nummer',
  'mit nummer',
  'numeroni',
  'رقمي',
  'numéro de contact',
  'direct dial',
  'teléfono fijo',
  'numero fisso',
  'vast nummer',
  'no hp',
  'ph no',
  'điện thoại',
  'numero verde',
  'toll free',
]
const CONTEXT = [
  ...new Set([
    ...TELEPHONES,
    ...CALLS,
    ...OWN_NUMBERS,
    'text me',
    'text us',
    'message me',
    'reach me',
    'reach us',
  ]),
]

/**
 * Whether hexadecimal digits that end with a letter are directly before the number: then it is part of an identifier
 * such as a UUID. Avoids a regular expression, which would search for the beginning at every position.
 */
function isHexadecimal(before: string): boolean {
  let place = before.length - 1
  if (!isOneOf(before.charCodeAt(place), HEX_LETTERS)) return false
  while (place >= 0 && isOneOf(before.charCodeAt(place), HEX_LETTERS | DIGITS_AND_DASH)) place--
  return !isOneOf(before.charCodeAt(place), OTHER_LETTERS)
}

const HEX_LETTERS = 1
const DIGITS_AND_DASH = 2
const OTHER_LETTERS = 4
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-f]/.test(character)) return HEX_LETTERS
  if (/[\d-]/.test(character)) return DIGITS_AND_DASH
  return /[g-z]/.test(character) ? OTHER_LETTERS : 0
})

function isOneOf(code: number, kinds: number): boolean {
  return ((KINDS[code] ?? 0) & kinds) !== 0
}

/** Directly before a number, these words allow even six digits. */
const INTRODUCTION =
  /(?:\b(?:tele)?phone|\btel|\bmobile|\bcell|\bfax|\bcall(?: \w{1,12}){0,2} (?:on|at)|\btelefon|\bt[eé]l[eé]fono|\bhandy)[\s.:]{1,4}$/i

/** Words for a phone. Words for calling are excluded: a log may say `message: 1234567 rows`. */
const TELEPHONE =
  /phone|t[eé]l[eé]f|(?<!\p{L})(?:tel|tél|tel-?n[or]|ph|msisdn|landline|direct dial|tfno|tlfn?o?|tlm|fone?|mobiel\p{L}*|mob[ií]?[a-z]*|kom|fax|handy[a-z]*|cep|gsm|hotline|puh|telp|sđt|no hp|recapito|contact n\p{L}{1,5}|cel|zap|ph\.? ?no)(?!\p{L})|whatsapp|viber|portable|rufnummer|durchwahl|m[óo]vil|telem[óo]vel|celular|cellulare|puhelin|number is|(?<!\p{L})(?:my|your|his|her|mon|ton|votre|mi|tu|su|mio|tuo|suo|meu|seu|meine|deine|ihre|mijn|mój|moj|мой|мій|mitt|mit) (?:number|num[eé]ro|número|nummer|numer|номер)|numaram|телефон|(?<!\p{L})(?:тел|моб|сот|факс)|τηλ|κινητ|טלפון|נייד|điện thoại|ponsel|هاتف|جوال|موبايل|ت[لي]{1,2}فون|محمول|التواصل|رقمي|传真|傳真|ケータイ|电话|電話|手机|手機|微信同号|联系方式|携帯|連絡先|전화|휴대폰|핸드폰|연락처|โทร|เบอร์|फ़ोन|फोन|मोबाइल/iu

/** Words for calling directly before a number, without a word in between that makes it a count. */
const CALLING =
  /(?<!\p{L})(?:call|dial|ring|sms|signal|message|text|reach)(?: (?:me|us|him|her|them|you|back|now|at|on|via|the|my|our|this|number|au|al|allo|an|op|na|pod|unter))* {1,2}$/iu

/** Words for calling in other languages, with a few words in between. */
const CALLING_ELSEWHERE =
  /(?<!\p{L})(?:anrufen|erreich\p{L}{1,4}|bereikbaar|joignable|r?appel\p{L}{1,3}|téléphone\p{L}|contactez|ll[aá]m\p{L}{1,5}|marca|marque|marcar|avis[ae]r?|chiam\p{L}{1,5}|contatt\p{L}{1,5}|telefona\p{L}{1,3}|liga|ligue|ligar|bel|bellen|zadzwo\p{L}{1,3}|dzwoni\p{L}{1,3}|(?:пере|по)?звони\p{L}{0,3}|набери\p{L}{0,2}|soita|اتصل|للتواصل|للاستفسار|拨打|致电|请拨|お電話)(?:[ -]\p{L}{1,12}){0,3}[\s:]{1,2}$/iu

/** Words for a contact directly before a number: other words in between may introduce another number. */
const CONTACT =
  /(?<!\p{L})(?:(?:emergency |notfall)?[ck]onta[ck]te?|contacto|contato|contatto|т)[.]?[\s:]{1,3}$/iu

/** The name of an option, a parameter or a field, directly before its value. */
const KEY =
  /(?:phone|t[eé]l[eé]f\p{L}*|tel|tél|mob(?:ile|il|iel)?|handy|cell|cellulare|cel|celular|m[oó]vil|portable|gsm|fax|fone|whatsapp|msisdn|rufnummer|recapito|festnetz|fijo|fisso|komórk[ai]|kom|телефон|тел|моб|факс|電話|电话|手机|携帯|هاتف|جوال|موبايل)(?:[-_.]?(?:no|nr|num|number|nummer|numer|numero|kom|домашний|[a-z]{1,12}))?(?:_[\p{L}\d]{1,12})?=$/iu

/** Whether a number may begin here. After `=` or an upper-case letter only directly after a word for a phone. */
function mayBegin(before: string): boolean {
  const code = before.charCodeAt(before.length - 1)
  if (code === 0x3d) return KEY.test(before)
  return !(code >= 0x41 && code <= 0x5a) || GLUED.test(before)
}

/** Words that are written without a space, as in Japan and China. */
const GLUED = /(?<![A-Z])(?:TEL|FAX|PHONE|MOB|MOBILE)$/

/** Whether the words before allow even a number without any grouping. */
function isNamed(before: string, digits: string): boolean {
  if (INTRODUCTION.test(before) || CALLING.test(before) || KEY.test(before)) return true
  // Counts often end like this.
  if (/0{4}$/.test(digits)) return false
  return (
    TELEPHONE.test(before) || (digits.length >= 8 && (CALLING_ELSEWHERE.test(before) || CONTACT.test(before)))
  )
}

/** Countries that write national numbers with a leading 0. */
const TRUNK_ZERO: ReadonlySet<string> = new Set(
  'AT AU BE CH CN DE EG FI FR GB HR ID IE IL IN JP KE KR MY NG NL NZ PH PK RO RS SE SI SK TH TW UA VN ZA'.split(
    ' ',
  ),
)

/** Countries whose national prefix is optional in libphonenumber's metadata. */
const WITHOUT_TRUNK_PREFIX: ReadonlySet<string> = new Set(['US', 'CA', 'TR'])

/** Returns a test, by the lengths of its groups only, of whether a number may match one of these grouping patterns. */
function groupingTest(patterns: readonly string[]): (lengths: number) => boolean {
  const plain = patterns.filter((pattern) => /^(?:\(\\d(?:\{\d+(?:,\d+)?\})?\))+$/.test(pattern))
  const grouping = new RegExp(`^(?:${[...new Set(plain)].join('|').replaceAll(')(', ') (')})$`)
  const known = new Map<number, boolean>()
  return (lengths) => {
    if (lengths === 0 || plain.length < patterns.length) return lengths !== 0
    let may = known.get(lengths)
    if (may === undefined) {
      const groups = [...lengths.toString(16)].map((digit) => '0'.repeat(Number.parseInt(digit, 16)))
      may = grouping.test(groups.join(' '))
      known.set(lengths, may)
    }
    return may
  }
}

/**
 * The lengths of the groups of digits followed by the total number of digits, as hexadecimal digits: 0x347 for
 * `555-0199`. With more groups than any number has, only the number of digits is encoded, as a minimum. 0 for more
 * digits than any number has.
 */
function outlineOf(text: string): number {
  let lengths = 0
  let groups = 0
  let length = 0
  let digits = 0
  for (let index = 0; index <= text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit >= DIGIT_ZERO && unit <= DIGIT_NINE) {
      length++
    } else if (length > 0) {
      digits += length
      if (digits > MOST_DIGITS) return 0
      if (++groups > MOST_GROUPS) return groups
      lengths = lengths * 16 + length
      length = 0
    }
  }
  return lengths * 16 + digits
}

const MOST_GROUPS = 6
/** Groups of one, three, three and four digits: North American numbers with the prefix 1. */
const LONG_DISTANCE = 0x1334b
const [DIGIT_ZERO, DIGIT_NINE] = [48, 57]

/** Whether it begins with +, or with a trunk or international prefix. */
function hasPrefix(text: string): boolean {
  const first = text.charAt(/^[([]/.test(text) ? 1 : 0)
  return first === '+' || first === '0'
}

function isInternational(text: string): boolean {
  return text.startsWith('+') || text.startsWith('(+')
}

function isNational(text: string, digits: string): boolean {
  return !isInternational(text) && !digits.startsWith('00')
}

/** The minimum of the pattern. */
const LEAST_DIGITS = 5
/** The maximum length that is tested, including the trunk prefix. */
const MOST_DIGITS = 15

/** By the number of digits: the plans that have numbers of that length. */
function byLength(
  plans: readonly NumberPlan[],
  has: (plan: NumberPlan, length: number) => boolean,
): (readonly NumberPlan[])[] {
  return Array.from({ length: MOST_DIGITS + 1 }, (_, length) => plans.filter((plan) => has(plan, length)))
}

/**
 * Dates, IP addresses, amounts, ranges, ISBNs, social security numbers, and numbers of chemical substances and
 * preprints.
 */
function isSomethingElse(text: string): boolean {
  if (/^0[-. /]/.test(text) && !/^0[-. ]{1,2}\(?\d{3}\)?[-. ]{1,2}\d(?:[-. ]{0,2}\d){5,}/.test(text))
    return true
  if (!/[-./–]|^97|^\d{4} \d{4}$/.test(text)) return false
  return (
    /^\d{4}([-/.])\d{1,2}\1\d{1,2}(?!\d)|^\d{1,2}([-/.])\d{1,2}\2(?:\d{4}(?:[ -]|$)|\d\d$)/.test(text) ||
    /^\d{1,2}\/\d{1,2}\/\d\d /.test(text) ||
    /(?:19|20)\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?!\d)/.test(text) ||
    /(?:^| )(?:1?\d?\d|2[0-4]\d|25[0-5])(?:\.(?:1?\d?\d|2[0-4]\d|25[0-5])){3}$/.test(text) ||
    /^(?:0|[1-9]\d*)\.\d+$|^[1-9]\d{0,2}(?:\.\d{3})+$/.test(text) ||
    isRange(text) ||
    /^[1-9].* [-/–] /.test(text) ||
    /^\d{3}-\d{2}-\d{4}$/.test(text) ||
    /^97[89][- ](?:\d[- ]?){10}$/.test(text) ||
    (/^\d-\d{2,6}-\d{2,6}-\d$/.test(text) && text.length === 13) ||
    /^\d{4}\/\d{4}$|^\d{2,7}-\d\d-\d$|^\d{4}\.\d{4,5}$/.test(text)
  )
}

/** A range of years, or of numbers that are close to each other, such as ports. */
function isRange(text: string): boolean {
  const [, from, to] = /^(\d{4}) ?[-–/ ] ?(\d{4})$/.exec(text) ?? []
  if (from === undefined || to === undefined) return false
  const areYears = /^(?:1[89]|20)/.test(from) && /^(?:1[89]|20)/.test(to)
  return areYears || Math.abs(Number(to) - Number(from)) <= MOST_IN_RANGE
}

const MOST_IN_RANGE = 20

/** A Brazilian postcode. Its name, `cep`, is also Turkish for a mobile phone. */
function isPostcode(text: string, before: string): boolean {
  return /^\d{5}-\d{3}$/.test(text) && /\bcep[\s:.]{0,3}$/i.test(before)
}
