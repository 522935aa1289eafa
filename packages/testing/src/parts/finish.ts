import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import type { ScriptPart } from '../script-part.ts'
import type { FinishFields } from '../turn-writer.ts'

/**
 * Ends the turn with a reason, usage or metadata of one's choosing. Without it a turn finishes by the
 * defaults.
 */
export function finish(fields: FinishFields = {}): ScriptPart {
  return { writeTo: (turn) => turn.finish(fields) }
}

export interface TokenCounts {
  /** Input tokens in all. Default 10. */
  input?: number
  /** Output tokens in all. Default 5. */
  output?: number
  /** Of the input tokens, those read from the provider's cache. Default 0. */
  cacheRead?: number
  /** Of the input tokens, those written to the provider's cache. Default 0. */
  cacheWrite?: number
  /** Of the output tokens, those spent on reasoning. Default 0. */
  reasoning?: number
}

/** Usage as a model reports it. Without counts, what every scripted turn costs: 10 tokens in, 5 out. */
export function tokens(counts: TokenCounts = {}): LanguageModelV4Usage {
  const { input = 10, output = 5, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = counts
  return {
    inputTokens: { total: input, noCache: input - cacheRead - cacheWrite, cacheRead, cacheWrite },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  }
}
