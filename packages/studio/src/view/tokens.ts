import type { Usage } from '@millrace/core'
import type { Tokens } from '../wire.ts'

/** A usage without the fields that were not reported. */
export function tokensOf(usage: Usage): Tokens {
  const { inputTokens, outputTokens, totalTokens, inputTokenDetails, outputTokenDetails } = usage
  const tokens: Record<keyof Tokens, number | undefined> = {
    inputTokens,
    outputTokens,
    totalTokens,
    cacheReadTokens: inputTokenDetails?.cacheReadTokens,
    cacheWriteTokens: inputTokenDetails?.cacheWriteTokens,
    reasoningTokens: outputTokenDetails?.reasoningTokens,
  }
  return Object.fromEntries(Object.entries(tokens).filter(([, count]) => typeof count === 'number'))
}

export function addTokens(a: Tokens, b: Tokens): Tokens {
  const sum: Tokens = { ...a }
  for (const [name, count] of Object.entries(b) as [keyof Tokens, number][])
    sum[name] = (sum[name] ?? 0) + count
  return sum
}
