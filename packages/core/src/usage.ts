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

/** A usage that was stored as JSON, which leaves out what is undefined. */
export function reviveUsage(usage: Usage): Usage {
  return addUsage(emptyUsage(), usage)
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
