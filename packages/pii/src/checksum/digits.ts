/** The digits of a text, without whatever groups them. */
export function digitsOf(text: string): string {
  return text.replace(/\D/g, '')
}

/** Letters in capitals and digits, without whatever groups them. */
export function alphanumericOf(text: string): string {
  return text.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
}

/** Whether all characters are the same: such numbers pass many checksums and are never issued. */
export function isRepetition(text: string): boolean {
  return text === text.charAt(0).repeat(text.length)
}

/** The sum of every digit times its weight. */
export function weightedSum(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0)
}

/** 0 to 9 for digits, 10 to 35 for letters in capitals. */
export function base36Value(character: string): number {
  return Number.parseInt(character, 36)
}
