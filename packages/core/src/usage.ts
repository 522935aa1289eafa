import type { LanguageModelV4Usage } from '@ai-sdk/provider'

/** Token usage, named as in the AI SDK. A count is `undefined` if the provider did not report it. */
export interface Usage {
  inputTokens: number | undefined
  outputTokens: number | undefined
  totalTokens: number | undefined
  inputTokenDetails: {
    noCacheTokens: number | undefined
    cacheReadTokens: number | undefined
    cacheWriteTokens: number | undefined
  }
  outputTokenDetails: {
    textTokens: number | undefined
    reasoningTokens: number | undefined
  }
}

/** The usage of a call that reported nothing. The neutral element of {@link addUsage}. */
export function emptyUsage(): Usage {
  return {
    inputTokens: undefined,
    outputTokens: undefined,
    totalTokens: undefined,
    inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
    outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
  }
}

/** Restores a usage that was stored as JSON, which omits undefined counts. */
export function reviveUsage(usage: Usage): Usage {
  return addUsage(emptyUsage(), usage)
}

/** The usage that a provider reported. Counts that are not numbers are ignored. */
export function usageFromModel(usage: LanguageModelV4Usage): Usage {
  const { inputTokens: input, outputTokens: output } = (usage ?? {}) as Partial<LanguageModelV4Usage>
  const inputTokens = countOf(input?.total)
  const outputTokens = countOf(output?.total)
  return {
    inputTokens,
    outputTokens,
    totalTokens: addTokens(inputTokens, outputTokens),
    inputTokenDetails: {
      noCacheTokens: countOf(input?.noCache),
      cacheReadTokens: countOf(input?.cacheRead),
      cacheWriteTokens: countOf(input?.cacheWrite),
    },
    outputTokenDetails: { textTokens: countOf(output?.text), reasoningTokens: countOf(output?.reasoning) },
  }
}

function countOf(tokens: unknown): number | undefined {
  return typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0 ? tokens : undefined
}

/** The sum of two usages. A count is `undefined` only if neither has it. */
export function addUsage(a: Usage, b: Usage): Usage {
  const input = a.inputTokenDetails
  const output = a.outputTokenDetails
  return {
    inputTokens: addTokens(a.inputTokens, b.inputTokens),
    outputTokens: addTokens(a.outputTokens, b.outputTokens),
    totalTokens: addTokens(a.totalTokens, b.totalTokens),
    inputTokenDetails: {
      noCacheTokens: addTokens(input.noCacheTokens, b.inputTokenDetails.noCacheTokens),
      cacheReadTokens: addTokens(input.cacheReadTokens, b.inputTokenDetails.cacheReadTokens),
      cacheWriteTokens: addTokens(input.cacheWriteTokens, b.inputTokenDetails.cacheWriteTokens),
    },
    outputTokenDetails: {
      textTokens: addTokens(output.textTokens, b.outputTokenDetails.textTokens),
      reasoningTokens: addTokens(output.reasoningTokens, b.outputTokenDetails.reasoningTokens),
    },
  }
}

function addTokens(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : a + b
}
