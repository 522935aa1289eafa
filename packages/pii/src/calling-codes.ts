import { type NumberPlan, numberPlan } from './number-plan.ts'
import type { PhoneMetadata } from './phone-metadata.ts'

/** What an international number is: of a range in use, of a length that numbers there have, or neither. */
type NumberStatus = 'assigned' | 'possible' | 'none'

export interface CallingCodes {
  /** Of digits that begin with a calling code (ITU-T E.164). */
  status(digits: string): NumberStatus
  /** The plan of a country, ISO 3166-1 alpha-2. */
  plan(region: string): NumberPlan
  /**
   * The number that somebody in a country dials with these digits, without prefixes, if it is one in use of that country,
   * and not of another with the same calling code.
   */
  nationalNumber(plan: NumberPlan, digits: string): string | undefined
}

interface CallingCode {
  /** The plan that numbers are read by: of the first country, or of the code itself where it has no countries. */
  readonly main: NumberPlan
  readonly countries: readonly NumberPlan[]
}

const LONGEST_CODE = 3
/** As the library has it: some countries go beyond the 15 digits of E.164. */
const LONGEST_NATIONAL = 17

/** All calling codes. The plan of a country is compiled when a number of it is first met. */
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

/** Of several, the one whose beginning the number has, or else the first in which it is assigned. */
function countryIn({ countries }: CallingCode, national: string): NumberPlan | undefined {
  if (countries.length < 2) return countries[0]
  return countries.find((country) => country.leadingDigits?.test(national) ?? country.isAssigned(national))
}
