const PRODUCT = [
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
]

const PERMUTATION = [
  '0123456789',
  '1576283094',
  '5803796142',
  '8916043527',
  '9453126870',
  '4286573901',
  '2793806415',
  '7046913258',
]

/** Whether the last digit is right by the Verhoeff scheme, in the dihedral group of order 10. */
export function passesVerhoeff(digits: string): boolean {
  let check = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = Number(digits[digits.length - 1 - index])
    check = Number(PRODUCT[check]?.[Number(PERMUTATION[index % 8]?.[digit])])
  }
  return check === 0
}
