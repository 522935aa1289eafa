import { digitAt } from './digits.ts'

const PRODUCT = tableOf(
  '0123456789',
  '1234067895',
  '2340178956',
  '3401289567',
  '4012395678',
  '5987604321',
  '6598710432',
  '7659821043',
  '8765932104',
  '9876543210',
)

const PERMUTATION = tableOf(
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
)

/** Ten entries per row. */
function tableOf(...rows: readonly string[]): Uint8Array {
  return Uint8Array.from(rows.join(''), Number)
}

/** Whether the last digit is the correct Verhoeff check digit, in the dihedral group of order 10. Takes digits only. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = digitAt(digits, digits.length - 1 - index)
    check = PRODUCT[check * 10 + (PERMUTATION[(index % 8) * 10 + digit] as number)] as number
  }
  return check === 0
}
