/** The digits of a text, without whatever groups them. */
export function digitsOf(text: string): string {
  let digits = ''
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (isDigit(text.charCodeAt(index))) continue
    if (index > start) digits += text.slice(start, index)
    start = index + 1
  }
  // Most have none between.
  return start === 0 ? text : digits + text.slice(start)
}

/** The number that the digits from `start` to `end` are; `NaN` where one of them is none. */
export function numberAt(digits: string, start: number, end: number): number {
  let number = 0
  for (let index = start; index < end; index++) number = number * 10 + digitAt(digits, index)
  return number
}

/** The digit at a place; `NaN` where there is none. By hand: a text of digits asks for every candidate. */
export function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return isDigit(code) ? code - ZERO : Number.NaN
}

const [ZERO, NINE] = [0x30, 0x39]

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

/** Letters in capitals and digits, without whatever groups them. */
export function alphanumericOf(text: string): string {
  return text.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
}

/** Whether all characters are the same: such numbers pass many checksums and are never issued. */
export function isRepetition(text: string): boolean {
  for (let index = 1; index < text.length; index++)
    if (text.charCodeAt(index) !== text.charCodeAt(0)) return false
  return true
}

/** The sum of every digit times its weight. */
export function weightedSum(digits: string, weights: readonly number[]): number {
  let sum = 0
  for (let index = 0; index < weights.length; index++)
    sum += (weights[index] as number) * digitAt(digits, index)
  return sum
}

/** 0 to 9 for digits, 10 to 35 for letters in capitals. */
export function base36Value(character: string): number {
  return Number.parseInt(character, 36)
}

/** Whether a number goes over more than two lines: a column of numbers, and not one. */
export function hasLineBreaks(text: string): boolean {
  return text.indexOf('\n') !== text.lastIndexOf('\n')
}
