/** The digits of a text, without the characters that group them. */
export function digitsOf(text: string): string {
  let digits = ''
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (isDigit(text.charCodeAt(index))) continue
    if (index > start) digits += text.slice(start, index)
    start = index + 1
  }
  // Most numbers have no grouping characters.
  return start === 0 ? text : digits + text.slice(start)
}

/** The number made of the digits from `start` to `end`; `NaN` if one of them is not a digit. */
export function numberAt(digits: string, start: number, end: number): number {
  let number = 0
  for (let index = start; index < end; index++) number = number * 10 + digitAt(digits, index)
  return number
}

/**
 * The digit at a position; `NaN` if there is none. Avoids a regular expression: it is called for every candidate in a
 * text of digits.
 */
export function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  return isDigit(code) ? code - ZERO : Number.NaN
}

const [ZERO, NINE] = [0x30, 0x39]

function isDigit(code: number): boolean {
  return code >= ZERO && code <= NINE
}

/** The letters, in upper case, and digits of a text, without the characters that group them. */
export function alphanumericOf(text: string): string {
  return text.replace(/[^0-9A-Za-z]/g, '').toUpperCase()
}

/** Whether all characters are the same. Such numbers pass many checksums, but are never issued. */
export function isRepetition(text: string): boolean {
  for (let index = 1; index < text.length; index++)
    if (text.charCodeAt(index) !== text.charCodeAt(0)) return false
  return true
}

/** The sum of the digits, each multiplied by its weight. */
export function weightedSum(digits: string, weights: readonly number[]): number {
  let sum = 0
  for (let index = 0; index < weights.length; index++)
    sum += (weights[index] as number) * digitAt(digits, index)
  return sum
}

/** 0 to 9 for digits, 10 to 35 for upper-case letters. */
export function base36Value(character: string): number {
  return Number.parseInt(character, 36)
}

/** Whether a text has several line breaks: then it is a column of numbers. */
export function hasLineBreaks(text: string): boolean {
  return text.indexOf('\n') !== text.lastIndexOf('\n')
}
