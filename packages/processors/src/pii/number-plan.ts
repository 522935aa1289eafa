import type { CountryCode, Metadata, NumberingPlan } from 'libphonenumber-js/max'

/** What is known of a country's numbers without parsing one, which takes far longer. Digits are without trunk prefix. */
export interface NumberPlan {
  readonly region: CountryCode
  /** Whether a number of this length and beginning is one of the country. */
  mayHave(digits: string): boolean
  /** Whether it belongs to a range in use: fixed lines, mobiles, toll-free numbers and so on. */
  isAssigned(digits: string): boolean
  /** Whether some format of the country groups the digits like this. */
  isGrouped(digits: string, groups: readonly string[]): boolean
}

/** What the library has, and does not declare. */
type WholePlan = NumberingPlan & {
  nationalNumberPattern?: () => string
  type?: (name: string) => { pattern(): string } | undefined
  formats?: () => { pattern(): string }[]
}

const NUMBER_TYPES = [
  ...['FIXED_LINE', 'MOBILE', 'TOLL_FREE', 'PREMIUM_RATE', 'PERSONAL_NUMBER', 'VOICEMAIL', 'UAN', 'PAGER'],
  ...['VOIP', 'SHARED_COST'],
]

export function numberPlan(metadata: Metadata, region: CountryCode): NumberPlan {
  metadata.selectNumberingPlan(region)
  const plan: WholePlan | undefined = metadata.numberingPlan
  const lengths = new Set(plan?.possibleLengths())
  const possible = whole(plan?.nationalNumberPattern?.() ?? '\\d+')
  const patterns = NUMBER_TYPES.flatMap((name) => plan?.type?.(name)?.pattern() ?? [])
  const assigned = patterns.length > 0 ? whole(patterns.join('|')) : possible
  const formats = plan?.formats?.().map((format) => whole(format.pattern())) ?? []
  return {
    region,
    mayHave: (digits) => lengths.has(digits.length) && possible.test(digits),
    isAssigned: (digits) => assigned.test(digits),
    isGrouped: (digits, groups) =>
      formats.some((format) => {
        const [, ...parts] = format.exec(digits) ?? []
        return parts.length === groups.length && parts.every((part, index) => part === groups[index])
      }),
  }
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`)
}
