import type { FormatMetadata, PhoneMetadata, PlanMetadata } from './phone-metadata.ts'

/**
 * The numbering plan of a country, from the library's metadata. The library parses and formats each number with all its
 * patterns; here the patterns are compiled once, and only the needed ones are tested.
 */
export interface NumberPlan {
  readonly region: string
  /** ITU-T E.164. */
  readonly callingCode: string
  /** Whether a national number may have this length and beginning. Digits are without trunk prefix. */
  mayHave(digits: string): boolean
  /** Whether it is in an assigned range: fixed lines, mobiles, toll-free numbers and so on. */
  isAssigned(digits: string): boolean
  /** Whether any number of the country has this length. */
  hasLength(length: number): boolean
  /** The beginnings of numbers that belong to this country among those that share its calling code. */
  readonly leadingDigits: RegExp | undefined
  /** Whether the country has no numbers of this length, but longer ones. */
  isTooShort(length: number): boolean
  /**
   * Removes the prefix that is dialed within the country, if the rest is a number of a valid length in `country`, which
   * may be another one with the same calling code.
   */
  withoutPrefix(digits: string, country?: (national: string) => NumberPlan | undefined): string
  /** The patterns of its formats, with a capturing group for each group of digits. */
  readonly groupings: readonly string[]
  /** Whether a format of the country groups the digits like this. */
  isGrouped(digits: string, groups: readonly string[]): boolean
  /** The groups in which the country writes the number, including a trunk prefix if it writes one. */
  written(national: string): readonly string[]
  /** Whether the country's format changes the digits, for example by adding a trunk prefix. */
  isWrittenOtherwise(national: string): boolean
}

/** `plan` is a country, ISO 3166-1 alpha-2, or a calling code without a country. */
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

/** The groups of digits of a text. */
export function groupsOf(text: string): string[] {
  return text.match(/\d+/g) ?? []
}

/** By the length of a number: the patterns of the number types that may have this length. */
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
  /** Whether it only groups the digits. */
  readonly isPlain: boolean
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`)
}
