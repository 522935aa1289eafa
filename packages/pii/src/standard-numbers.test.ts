import { Scanner } from '@millrace/guards/scanner'
import fc from 'fast-check'
import { stdnum, type Validator } from 'stdnum'
import { expect, test } from 'vitest'
import { piiRecognizers } from './recognizers.ts'
import type { PIIType } from './types.ts'

const numRuns = process.env.MILLRACE_THOROUGH === '1' ? 5_000 : 150

const { AU, BR, CA, DE, ES, FI, FR, IN, IT, KR, NL, PL, SE, SG, TH, TR, ZA } = stdnum

/** By type: what numbers look like, and the library's word on which of them are right. */
const NUMBERS: readonly (readonly [PIIType, form: string, validator: Validator | undefined])[] = [
  ['au_abn', '[1-9]\\d{10}', AU?.abn],
  ['au_acn', '\\d{9}', AU?.acn],
  ['au_tfn', '[1-9]\\d{8}', AU?.tfn],
  ['br_cpf', '\\d{11}', BR?.cpf],
  ['br_cnpj', '\\d{8}000\\d{3}', BR?.cnpj],
  ['ca_sin', '[1-79]\\d{8}', CA?.sin],
  ['de_tax_id', '[1-9]\\d{10}', DE?.idnr],
  ['de_social_security', '1\\d[0-2][1-8]0[1-9]\\d{2}[A-Z]\\d{3}', DE?.svnr],
  ['de_vat', 'DE[1-9]\\d{8}', DE?.vat],
  ['es_nif', '[1-9]\\d{7}[A-Z]', ES?.dni],
  ['es_nie', '[XYZ]\\d{7}[A-Z]', ES?.nie],
  ['fi_personal_identity_code', '[0-2][1-8]0[1-9]\\d{2}-[1-8]\\d{2}[0-9A-Y]', FI?.hetu],
  ['fr_nir', '[12]\\d{2}0[1-9]0[1-9]\\d{8}', FR?.nir],
  ['in_aadhaar', '[2-9]\\d{11}', IN?.aadhaar],
  ['it_vat', '0\\d{6}0[1-9]\\d{2}', IT?.iva],
  ['kr_brn', '[1-9]\\d{2}-[1-9]\\d-\\d{5}', KR?.brn],
  ['nl_bsn', '[1-9]\\d{8}', NL?.bsn],
  ['pl_pesel', '\\d{2}0[1-9][0-2][1-8]\\d{5}', PL?.pesel],
  ['pl_nip', '[1-9]\\d{9}', PL?.nip],
  ['se_personnummer', '\\d{2}0[1-9][0-2][1-8]-\\d{4}', SE?.personnummer],
  ['sg_uen', '(?:19|20)\\d{7}[A-Z]', SG?.uen],
  ['th_tnin', '[1-8](?:1\\d|3\\d|4[0-9])\\d{10}', TH?.idnr],
  ['tr_national_id', '[1-9]\\d{10}', TR?.tckimlik],
  ['za_id_number', '\\d{2}0[1-9][0-2][1-8]\\d{4}[01]8\\d', ZA?.idnr],
]

test.each(NUMBERS)('%s is what the library says it is', async (type, form, validator) => {
  if (!validator) throw new Error(`stdnum has no ${type}.`)
  const scanner = new Scanner(await piiRecognizers({ types: [type] }))
  const numbers = fc.stringMatching(new RegExp(`^${form}$`)).map((number) => corrected(number, validator))
  let right = 0
  fc.assert(
    fc.property(numbers, (number) => {
      if (new Set(number.replace(/\D/g, '')).size < 3) return
      // Not every province has numbers, for the library.
      if (type === 'it_vat' && /^.{7}000/.test(number)) return
      // The library lets a digit of them come four times.
      if (type === 'de_tax_id' && [...DIGITS].some((digit) => number.slice(0, 10).split(digit).length > 4))
        return
      const { isValid } = validator.validate(number)
      if (isValid) right++
      expect(scanner.detect(number).length, `${number} is ${isValid ? '' : 'not '}valid`).toBe(
        isValid ? 1 : 0,
      )
    }),
    { numRuns },
  )
  expect(right).toBeGreaterThan(numRuns / 20)
})

/** The number with other digits or letters at its end, if there are some that make it right; else as it is. */
function corrected(number: string, validator: Validator): string {
  if (number.charCodeAt(number.length - 1) % 4 === 0) return number
  const ends = /[A-Z]$/.test(number) ? LETTERS : /[A-Y]$/.test(number) ? [...DIGITS, ...LETTERS] : DIGITS
  for (const length of [1, 2]) {
    for (const end of length === 1 ? ends : PAIRS) {
      const candidate = number.slice(0, -length) + end
      if (validator.validate(candidate).isValid) return candidate
    }
  }
  return number
}

const DIGITS = [...'0123456789']
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ']
const PAIRS = DIGITS.flatMap((first) => DIGITS.map((second) => first + second))
