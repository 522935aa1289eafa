import fc from 'fast-check'
import {
  type CountryCode,
  getCountries,
  getCountryCallingCode,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max'
import table from 'libphonenumber-js/max/metadata'
import { expect, test } from 'vitest'
import { callingCodes } from './calling-codes.ts'
import { PhoneMetadata, type PhoneTable } from './phone-metadata.ts'

const runs = process.env.MILLRACE_THOROUGH === '1' ? 200_000 : 2_000

const codes = callingCodes(new PhoneMetadata(table as unknown as PhoneTable))
const country = fc.constantFrom(...getCountries())
const national = fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 2, maxLength: 13 })

test('an international number is what the library says, in and out of use', () => {
  fc.assert(
    fc.property(country, national, (country, national) => {
      const digits = `${getCountryCallingCode(country)}${national}`
      const number = parsePhoneNumberFromString(`+${digits}`)
      const expected = number?.isValid() ? 'assigned' : number?.isPossible() ? 'possible' : 'none'
      expect(codes.status(digits)).toBe(expected)
    }),
    { numRuns: runs },
  )
})

test('a number in use in a country is found, and grouped, as the library does', () => {
  const regions: CountryCode[] = ['US', 'CA', 'GB', 'DE', 'FR', 'IT', 'ES', 'TR', 'IN', 'ZA']
  fc.assert(
    fc.property(fc.constantFrom(...regions), national, (region, national) => {
      const plan = codes.plan(region)
      const digits = codes.nationalNumber(plan, national)
      if (digits === undefined || digits !== national) return
      const number = parsePhoneNumberFromString(`+${plan.callingCode}${digits}`)
      expect(number).toMatchObject({ country: region, nationalNumber: digits })
      expect(plan.written(digits)).toEqual(number?.formatNational().match(/\d+/g))
    }),
    { numRuns: runs },
  )
})

test('a table of a form that is not known is refused', () => {
  const other = { ...(table as unknown as PhoneTable), version: 5 }
  expect(() => new PhoneMetadata(other)).toThrow('has version 5')
})
