import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max'
import type { PatternRecognizer } from '../scanner/recognizer.ts'
import { digitsOf, isRepetition } from './checksum/digits.ts'
import { evidence } from './evidence.ts'
import { numberPlan } from './number-plan.ts'

/**
 * Telephone numbers: international ones (ITU-T E.164) of any country; national ones by the numbering plans of `regions`,
 * ISO 3166-1 alpha-2; others, such as local ones without an area code, after a word like "call". The numbering plans
 * load with this call. `byForm` says that a number without any grouping counts too.
 */
export async function phone(
  regions: readonly string[],
  { byForm = false }: { byForm?: boolean } = {},
): Promise<PatternRecognizer[]> {
  const { parsePhoneNumberFromString, isSupportedCountry, Metadata } = await import('libphonenumber-js/max')
  const plans = regions
    .filter((region): region is CountryCode => isSupportedCountry(region))
    .map((region) => numberPlan(new Metadata(), region))

  const withoutTrunkZero = plans.filter(({ region }) => !TRUNK_ZERO.has(region))

  function scoreInternational(digits: string): number {
    const number = parsePhoneNumberFromString(`+${digits}`)
    if (number?.isValid()) return evidence.certain
    return number?.isPossible() ? 0.6 : 0
  }

  /** By the plans of the countries in which the number is assigned. */
  function scoreNational(text: string, digits: string): number {
    let score: number = evidence.faint
    // Whether it is assigned does not matter: it takes a word before it.
    if (!byForm && (digits.length < 8 || !/\d\D+\d/.test(text))) return score
    const trunk = digits.startsWith('0')
    for (const { region, mayHave, isAssigned, isGrouped } of trunk ? plans : withoutTrunkZero) {
      const national = mayHave(digits) ? digits : digits.slice(1)
      if (national !== digits && !(trunk && mayHave(national))) continue
      if (!isAssigned(national)) continue
      if (!byForm && !trunk && !isGrouped(digits, groupsOf(text))) {
        // Parsing would not make more of it.
        score = evidence.format
        continue
      }
      const number = parsePhoneNumberFromString(digits, region)
      if (number?.country === region && number.isValid() && hasTrunkPrefix(number, digits)) {
        if (isWrittenAsNumber(number, text)) return 0.6
        score = evidence.format
      }
    }
    return score
  }

  function scoreNumber(text: string, digits: string): number {
    if (text.startsWith('+')) return scoreInternational(digits)
    if (digits.startsWith('00')) return scoreInternational(digits.slice(2)) && 0.6
    return scoreNational(text, digits)
  }

  return [
    {
      type: 'phone',
      pattern:
        /(?<![A-Z0-9_.@/=+-])(?:\+ ?|00)?(?:\d{1,4}[-. /–\u00a0]{0,2})?(?:\(\d{1,5}\)[-. /–\u00a0]{0,2})?\d(?:[-. /–\u00a0]{0,2}\d){4,14}(?:,? ?(?:ext\.?|x|#) ?\d{1,6})?(?![\w@%])/,
      score: (candidate, before) => {
        const text = /[x#]/.test(candidate)
          ? candidate.replace(/,? ?(?:ext\.?|x|#) ?\d{1,6}$/, '')
          : candidate
        const digits = digitsOf(text)
        if (digits.length < 7 && !INTRODUCTION.test(before)) return 0
        if (digits.length < 6 || digits.length > 15 || isRepetition(digits) || isSomethingElse(text)) return 0
        const score = scoreNumber(text, digits)
        // A space is forgotten before a number that is one by its grouping.
        return score < 0.6 && /[a-z]$/.test(before) ? 0 : score
      },
      context: CONTEXT,
    },
  ]
}

const CONTEXT = [
  ...'phone phones telephone tel mobile cell cellphone fax whatsapp signal sms hotline call called calling dial'.split(
    ' ',
  ),
  ...'ring answering message telefon telefonnummer handy mobil téléphone portable teléfono telefono móvil'.split(
    ' ',
  ),
  ...'celular cellulare telefone telefoon puhelin cep 電話 전화 โทร फ़ोन'.split(' '),
  ...['text me', 'reach me', 'number is'],
]

/** Right before a number, this makes one even of six digits. */
const INTRODUCTION =
  /(?:\b(?:tele)?phone|\btel|\bmobile|\bcell|\bfax|\bcall(?: \w{1,12}){0,2} (?:on|at)|\btelefon|\bt[eé]l[eé]fono|\bhandy)[\s.:]{1,4}$/i

/** Countries whose national numbers are written with 0 before them. */
const TRUNK_ZERO: ReadonlySet<string> = new Set(
  'AT AU BE CH CN DE EG FI FR GB HR ID IE IL IN JP KE KR MY NG NL NZ PH PK RO RS SE SI SK TH TW UA VN ZA'.split(
    ' ',
  ),
)

/** Where libphonenumber's metadata calls the national prefix optional. */
const WITHOUT_TRUNK_PREFIX: ReadonlySet<string> = new Set(['US', 'CA', 'TR'])

/** Whether the trunk prefix, such as 0, stands where the country's numbers are written with one. */
function hasTrunkPrefix(number: PhoneNumber, digits: string): boolean {
  if (number.country && WITHOUT_TRUNK_PREFIX.has(number.country)) return true
  const written = digitsOf(number.formatNational())
  return written === number.nationalNumber || digits !== number.nationalNumber
}

/** Whether the number is grouped as its country does, or begins with a trunk prefix and is grouped at all. */
function isWrittenAsNumber(number: PhoneNumber, text: string): boolean {
  const groups = groupsOf(text)
  if (groups.length < 2 || number.nationalNumber.length < 8) return false
  return text.startsWith('0') || groups.join() === number.formatNational().split(/\D+/).filter(Boolean).join()
}

function groupsOf(text: string): string[] {
  return text.split(/\D+/).filter(Boolean)
}

/** Dates, addresses of networks, amounts, ranges of years, ISBNs, social security numbers. */
function isSomethingElse(text: string): boolean {
  if (!/[-./–]|^97/.test(text)) return false
  return (
    /^\d{4}([-/.])\d{1,2}\1\d{1,2}(?!\d)|^\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d\d)$/.test(text) ||
    /^(?:1?\d?\d|2[0-4]\d|25[0-5])(?:\.(?:1?\d?\d|2[0-4]\d|25[0-5])){3}$/.test(text) ||
    /^[1-9]\d*\.\d+$|^[1-9]\d{0,2}(?:\.\d{3})+$/.test(text) ||
    /^(?:1[89]|20)\d\d ?[-–/] ?(?:1[89]|20)\d\d$/.test(text) ||
    /^\d{3}-\d{2}-\d{4}$/.test(text) ||
    /^97[89][- ](?:\d[- ]?){10}$/.test(text)
  )
}
