/** ASCII characters of a token, a little fewer than in English text and source code. */
const ASCII_PER_TOKEN = 3.5

/**
 * About how many tokens a text has: one for 3.5 ASCII characters, and one for each other character. Pass `countTokens` of
 * `@millrace/tokens` where it has to be exact.
 */
export function estimateTokens(text: string): number {
  let other = 0
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) other++
  return Math.ceil((text.length - other) / ASCII_PER_TOKEN + other)
}
