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
  return add(a, b)
}

/** Adds numbers, also those in objects of the same shape. */
function add<COUNTS extends object>(a: COUNTS, b: COUNTS): COUNTS {
  const sum: Partial<Record<keyof COUNTS, unknown>> = {}
  for (const key of Object.keys(a) as (keyof COUNTS)[]) {
    const left = a[key]
    const right = b[key]
    sum[key] =
      typeof left === 'object' && left !== null
        ? add(left, right as object)
        : addTokens(left as number | undefined, right as number | undefined)
  }
  return sum as COUNTS
}

function addTokens(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : a + b
}
