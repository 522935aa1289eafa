/** ASCII characters per token, slightly less than in English text and source code. */
const ASCII_PER_TOKEN = 3.5

/**
 * Estimates the tokens of a text: one per 3.5 ASCII characters, and one for each other character. For exact
 * counts pass `countTokens` of `@millrace/tokens`.
 */
export function estimateTokens(text: string): number {
  let other = 0
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) other++
  return Math.ceil((text.length - other) / ASCII_PER_TOKEN + other)
}
