import type { LanguageModelV4Usage } from '@ai-sdk/provider'

/** Tokens used, in the AI SDK's names. A count is `undefined` where the provider did not report it. */
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

/** Usage of a call that reported nothing. The neutral element of {@link addUsage}. */
export function emptyUsage(): Usage {
  return {
    inputTokens: undefined,
    outputTokens: undefined,
    totalTokens: undefined,
    inputTokenDetails: { noCacheTokens: undefined, cacheReadTokens: undefined, cacheWriteTokens: undefined },
    outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
  }
}

export function usageFromModel({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  return {
    inputTokens: inputTokens.total,
    outputTokens: outputTokens.total,
    totalTokens: addTokens(inputTokens.total, outputTokens.total),
    inputTokenDetails: {
      noCacheTokens: inputTokens.noCache,
      cacheReadTokens: inputTokens.cacheRead,
      cacheWriteTokens: inputTokens.cacheWrite,
    },
    outputTokenDetails: { textTokens: outputTokens.text, reasoningTokens: outputTokens.reasoning },
  }
}

/** The sum of two usages. A count stays `undefined` only when neither side has it. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: addTokens(a.inputTokens, b.inputTokens),
    outputTokens: addTokens(a.outputTokens, b.outputTokens),
    totalTokens: addTokens(a.totalTokens, b.totalTokens),
    inputTokenDetails: {
      noCacheTokens: addTokens(a.inputTokenDetails.noCacheTokens, b.inputTokenDetails.noCacheTokens),
      cacheReadTokens: addTokens(a.inputTokenDetails.cacheReadTokens, b.inputTokenDetails.cacheReadTokens),
      cacheWriteTokens: addTokens(a.inputTokenDetails.cacheWriteTokens, b.inputTokenDetails.cacheWriteTokens),
    },
    outputTokenDetails: {
      textTokens: addTokens(a.outputTokenDetails.textTokens, b.outputTokenDetails.textTokens),
      reasoningTokens: addTokens(a.outputTokenDetails.reasoningTokens, b.outputTokenDetails.reasoningTokens),
    },
  }
}

function addTokens(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : a + b
}
