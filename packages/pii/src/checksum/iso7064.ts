import { base36Value, digitAt } from './digits.ts'

/** The remainder modulo 97 of digits and letters, with letters as 10 to 35 (ISO/IEC 7064 MOD 97-10). */
export function mod97(text: string): number {
  let remainder = 0
  for (const character of text) {
    const value = base36Value(character)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder
}

/** Whether the last digit is the correct check digit (ISO/IEC 7064 MOD 11,10). */
export function passesMod11And10(digits: string): boolean {
  let product = 10
  const last = digits.length - 1
  for (let index = 0; index < last; index++) {
    const sum = (digitAt(digits, index) + product) % 10 || 10
    product = (sum * 2) % 11
  }
  return (11 - product) % 10 === digitAt(digits, last)
}
