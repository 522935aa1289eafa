import type { FormatMetadata, PhoneMetadata, PlanMetadata } from './phone-metadata.ts'

/**
 * The numbering plan of a country, by the library's metadata. The library parses and formats a number anew with all its
 * patterns each time; here they are compiled once, and only what is asked for is looked at.
 */
export interface NumberPlan {
  readonly region: string
  /** ITU-T E.164. */
  readonly callingCode: string
  /** Whether a number of this length and beginning is one of the country. Digits are without trunk prefix. */
  mayHave(digits: string): boolean
  /** Whether it belongs to a range in use: fixed lines, mobiles, toll-free numbers and so on. */
  isAssigned(digits: string): boolean
  /** Whether some number of the country has so many digits. */
  hasLength(length: number): boolean
  /** Where a number with this beginning is one of the country, and no other is. */
  readonly leadingDigits: RegExp | undefined
  /** Whether numbers of the country have other lengths, and not only shorter ones. */
  isTooShort(length: number): boolean
  /**
   * Without the prefix that is dialled before it within the country, if that leaves a number of some length in `country`,
   * which may be another one that shares the calling code.
   */
  withoutPrefix(digits: string, country?: (national: string) => NumberPlan | undefined): string
  /** The patterns of its formats: each group of digits is a capturing group. */
  readonly groupings: readonly string[]
  /** Whether some format of the country groups the digits like this. */
  isGrouped(digits: string, groups: readonly string[]): boolean
  /** The groups in which the country writes the number, the trunk prefix where it does included. */
  written(national: string): readonly string[]
  /** Whether it has other digits as the country writes it. */
  isWrittenOtherwise(national: string): boolean
}

/** `plan` is a country, ISO 3166-1 alpha-2, or the calling code of none. */
export function numberPlan(metadata: PhoneMetadata, plan: string): NumberPlan {
  const source = metadata.plan(plan)
  const lengths = new Set(source.possibleLengths)
  const longest = Math.max(...lengths)
  const possible = whole(source.nationalNumberPattern)
  const assigned = assignedByLength(source, lengths)
  const formats = source.formats.map(compileFormat)
  const prefix = source.nationalPrefixForParsing
  const prefixPattern = prefix ? new RegExp(`^(?:${prefix})`) : undefined
  const transform = source.nationalPrefixTransformRule
  const leadingDigits = source.leadingDigits
  const self: NumberPlan = {
    region: plan,
    callingCode: source.callingCode,
    groupings: source.formats.map(({ pattern }) => pattern),
    leadingDigits: leadingDigits ? new RegExp(`^(?:${leadingDigits})`) : undefined,
    mayHave: (digits) => lengths.has(digits.length) && possible.test(digits),
    isAssigned: (digits) => assigned[digits.length]?.test(digits) === true && possible.test(digits),
    hasLength: (length) => lengths.has(length),
    isTooShort: (length) => !lengths.has(length) && length <= longest,
    withoutPrefix(digits, country) {
      const match = prefixPattern?.exec(digits)
      if (!match) return digits
      const stripped =
        transform && match.length > 1 && match.at(-1)
          ? digits.replace(prefixPattern as RegExp, transform)
          : digits.slice(match[0].length)
      if (stripped === digits) return digits
      if (possible.test(digits) && !possible.test(stripped)) return digits
      return (country?.(stripped) ?? self).isTooShort(stripped.length) ? digits : stripped
    },
    isGrouped: (digits, groups) =>
      formats.some(({ pattern }) => {
        const [, ...parts] = pattern.exec(digits) ?? []
        return parts.length === groups.length && parts.every((part, index) => part === groups[index])
      }),
    written: (national) => written(national, formatOf(national)),
    isWrittenOtherwise(national) {
      const format = formatOf(national)
      return format !== undefined && !format.isPlain && written(national, format).join('') !== national
    },
  }
  return self

  function formatOf(national: string): Format | undefined {
    return formats.find(({ leading, pattern }) => leading?.test(national) !== false && pattern.test(national))
  }
}

function written(national: string, format: Format | undefined): string[] {
  return groupsOf(format ? national.replace(format.pattern, format.template) : national)
}

/** The digits between whatever groups them. */
export function groupsOf(text: string): string[] {
  return text.match(/\d+/g) ?? []
}

/** By the length of a number: the patterns of the kinds of numbers that may have it. */
function assignedByLength({ kinds }: PlanMetadata, lengths: ReadonlySet<number>): (RegExp | undefined)[] {
  const patterns: (RegExp | undefined)[] = Array.from({ length: Math.max(...lengths) + 1 }, () => undefined)
  for (const length of lengths) {
    const own = kinds.filter((kind) => kind.lengths.includes(length))
    patterns[length] = whole(kinds.length > 0 ? own.map(({ pattern }) => pattern).join('|') : '\\d*')
  }
  return patterns
}

function compileFormat({
  pattern,
  format,
  leadingDigits,
  nationalPrefixFormattingRule: rule,
}: FormatMetadata): Format {
  const template = rule ? format.replace(/(\$\d)/, rule) : format
  const groups = /^(?:\([^()]*\))+$/.test(pattern) ? pattern.split('(').length - 1 : 0
  const inOrder = Array.from({ length: groups }, (_, index) => index + 1).join('')
  return {
    pattern: whole(pattern),
    leading: leadingDigits ? new RegExp(`^(?:${leadingDigits})`) : undefined,
    template,
    isPlain: groups > 0 && template.replace(/[^$\d]/g, '').replace(/\$(\d)/g, '$1') === inOrder,
  }
}

interface Format {
  readonly pattern: RegExp
  readonly leading: RegExp | undefined
  readonly template: string
  /** It only groups the digits. */
  readonly isPlain: boolean
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`)
}
