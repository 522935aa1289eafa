import { digitAt } from './digits.ts'

/** Whether the last digit is the correct Luhn check digit (ISO/IEC 7812-1, annex B). Takes digits only. */
export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = digitAt(digits, digits.length - 1 - index)
    const doubled = index % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return digits.length > 1 && sum % 10 === 0
}
