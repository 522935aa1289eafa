import { MillraceError } from '@millrace/core'

export type CountTokens = (text: string) => number | Promise<number>

/** Counts the tokens of a text with the user's function, and checks its result. */
export async function tokensOf(text: string, countTokens: CountTokens): Promise<number> {
  const tokens = await countTokens(text)
  if (Number.isFinite(tokens) && tokens >= 0) return tokens
  throw new MillraceError(
    'CONFIG_INVALID',
    `countTokens returned ${String(tokens)}. It must return the number of tokens of a text.`,
  )
}

/**
 * The beginning of a text, with at most `maxTokens` tokens. Cuts at a line break if possible, and never
 * inside a surrogate pair.
 */
export async function fitText(text: string, maxTokens: number, countTokens: CountTokens): Promise<string> {
  let fitting = text
  let tokens = await tokensOf(fitting, countTokens)
  while (tokens > maxTokens && fitting !== '') {
    // Slightly less than the share that fits if tokens are spread evenly.
    const length = Math.min(fitting.length - 1, Math.floor((fitting.length * maxTokens * 0.98) / tokens))
    fitting = cutAtLine(fitting, length)
    tokens = await tokensOf(fitting, countTokens)
  }
  return fitting
}

function cutAtLine(text: string, length: number): string {
  const line = text.lastIndexOf('\n', length)
  const end = line > length / 2 ? line : length
  const isWithinPair =
    /[\ud800-\udbff]/.test(text.charAt(end - 1)) && /[\udc00-\udfff]/.test(text.charAt(end))
  return text.slice(0, isWithinPair ? end - 1 : end)
}
