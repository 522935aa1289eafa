import { MillraceError } from '@millrace/core'

/** A row of the table: values by position, in the format of the library since version 1.7.35. */
type Row = readonly unknown[]

/** The table that libphonenumber-js publishes, made from Google's libphonenumber. */
export interface PhoneTable {
  readonly version: number
  readonly country_calling_codes: Readonly<Record<string, readonly string[]>>
  readonly countries: Readonly<Record<string, Row>>
  readonly nonGeographic?: Readonly<Record<string, Row>>
}

const VERSION = 4

/** The position of the number types in a row. */
const KINDS = 10

export interface PlanMetadata {
  /** ITU-T E.164. */
  readonly callingCode: string
  readonly nationalNumberPattern: string
  readonly possibleLengths: readonly number[]
  readonly formats: readonly FormatMetadata[]
  readonly nationalPrefixForParsing: string | undefined
  readonly nationalPrefixTransformRule: string | undefined
  readonly leadingDigits: string | undefined
  /** The number types, such as fixed lines, mobiles and toll-free numbers, with their lengths. */
  readonly kinds: readonly { readonly pattern: string; readonly lengths: readonly number[] }[]
}

export interface FormatMetadata {
  readonly pattern: string
  readonly format: string
  readonly leadingDigits: string | undefined
  readonly nationalPrefixFormattingRule: string | undefined
}

/** Reads the table directly: the library would load about eighty files, of which one is needed. */
export class PhoneMetadata {
  readonly #table: PhoneTable

  /** @throws MillraceError `CONFIG_INVALID` for a table of another version */
  constructor(table: PhoneTable) {
    if (table.version !== VERSION) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `The table of the installed libphonenumber-js has version ${table.version}; ${VERSION} can be read. Install libphonenumber-js 1.13.`,
      )
    }
    this.#table = table
  }

  hasCountry(country: string): boolean {
    return Object.hasOwn(this.#table.countries, country)
  }

  /**
   * The countries that share a calling code, the main one first; undefined if the calling code is unknown or has no
   * country.
   */
  countriesOf(callingCode: string): readonly string[] | undefined {
    const codes = this.#table.country_calling_codes
    return Object.hasOwn(codes, callingCode) ? codes[callingCode] : undefined
  }

  hasCallingCode(callingCode: string): boolean {
    return (
      this.countriesOf(callingCode) !== undefined ||
      Object.hasOwn(this.#table.nonGeographic ?? {}, callingCode)
    )
  }

  /** The plan of a country, ISO 3166-1 alpha-2, or of a calling code without a country. */
  plan(name: string): PlanMetadata {
    const { countries, nonGeographic = {} } = this.#table
    const row = (countries[name] ?? nonGeographic[name]) as Row
    const main = countries[this.countriesOf(row[0] as string)?.[0] as string]
    const possibleLengths = row[3] as readonly number[]
    const rule = textAt(row, 6) ?? (main && textAt(main, 6))
    const formats = (row[4] || main?.[4] || []) as readonly Row[]
    const kinds = ((row[11] || []) as readonly (Row | 0)[]).slice(0, KINDS)
    return {
      callingCode: row[0] as string,
      nationalNumberPattern: row[2] as string,
      possibleLengths,
      formats: formats.map((format) => ({
        pattern: format[0] as string,
        format: format[1] as string,
        leadingDigits: ((format[2] || []) as readonly string[]).at(-1),
        nationalPrefixFormattingRule: textAt(format, 3) ?? rule,
      })),
      nationalPrefixForParsing: textAt(row, 7) ?? textAt(row, 5),
      nationalPrefixTransformRule: textAt(row, 8),
      leadingDigits: textAt(row, 10),
      kinds: kinds.flatMap((kind) =>
        kind && textAt(kind, 0) !== undefined
          ? [{ pattern: kind[0] as string, lengths: (kind[1] || possibleLengths) as readonly number[] }]
          : [],
      ),
    }
  }
}

/** A missing value is 0, or beyond the end of the row. */
function textAt(row: Row, place: number): string | undefined {
  const value = row[place]
  return typeof value === 'string' && value !== '' ? value : undefined
}
