import { type NumberPlan, numberPlan } from './number-plan.ts'
import type { PhoneMetadata } from './phone-metadata.ts'

/**
 * The status of an international number. `assigned`: in a range in use. `possible`: of a valid length. `none`: neither.
 */
type NumberStatus = 'assigned' | 'possible' | 'none'

export interface CallingCodes {
  /** The status of digits that begin with a calling code (ITU-T E.164). */
  status(digits: string): NumberStatus
  /** The numbering plan of a country, ISO 3166-1 alpha-2. */
  plan(region: string): NumberPlan
  /**
   * The national number, without prefixes, that these digits dial within a country. Undefined if it is not assigned, or
   * if it belongs to another country with the same calling code.
   */
  nationalNumber(plan: NumberPlan, digits: string): string | undefined
}

interface CallingCode {
  /** The plan used to read numbers: that of the main country, or of the calling code itself if it has no countries. */
  readonly main: NumberPlan
  readonly countries: readonly NumberPlan[]
}

const LONGEST_CODE = 3
/** The limit of the library: some countries exceed the 15 digits of E.164. */
const LONGEST_NATIONAL = 17

/** All calling codes. The plan of a country is compiled when its first number is read. */
export function callingCodes(metadata: PhoneMetadata): CallingCodes {
  const plans = new Map<string, NumberPlan>()
  const codes = new Map<string, CallingCode>()

  function plan(region: string): NumberPlan {
    const known = plans.get(region) ?? numberPlan(metadata, region)
    plans.set(region, known)
    return known
  }

  function codeOf(code: string): CallingCode | undefined {
    if (!codes.has(code) && metadata.hasCallingCode(code)) {
      const countries = metadata.countriesOf(code)?.map(plan) ?? []
      codes.set(code, { main: countries[0] ?? plan(code), countries })
    }
    return codes.get(code)
  }

  return {
    plan,
    nationalNumber(plan, digits) {
      const code = codeOf(plan.callingCode)
      if (!code) return undefined
      const national = plan.withoutPrefix(digits, (rest) => countryIn(code, rest))
      return plan.isAssigned(national) && countryIn(code, national) === plan ? national : undefined
    },
    status(digits) {
      for (let length = 1; length <= LONGEST_CODE && length < digits.length; length++) {
        const code = codeOf(digits.slice(0, length))
        if (!code) continue
        const national = code.main.withoutPrefix(digits.slice(length), (rest) => countryIn(code, rest))
        if (national.length < 2 || national.length > LONGEST_NATIONAL) return 'none'
        const country = countryIn(code, national) ?? code.main
        return country.isAssigned(national)
          ? 'assigned'
          : country.hasLength(national.length)
            ? 'possible'
            : 'none'
      }
      return 'none'
    },
  }
}

/** The country of a number: the one whose leading digits match, else the first in which the number is assigned. */
function countryIn({ countries }: CallingCode, national: string): NumberPlan | undefined {
  if (countries.length < 2) return countries[0]
  return countries.find((country) => country.leadingDigits?.test(national) ?? country.isAssigned(national))
}
