import type { LanguageModelV4Usage } from '@ai-sdk/provider'
import { type OptionNames, requireOptions } from '@millrace/core'
import type { ScriptPart } from '../script-part.ts'
import { FINISH_FIELDS, type FinishFields } from '../turn-writer.ts'

/** Ends the turn with the given reason, usage or metadata. Without this part, a turn ends with the defaults. */
export function finish(given: FinishFields = {}): ScriptPart {
  const fields = requireOptions('finish()', given, FINISH_FIELDS)
  return { writeTo: (turn) => turn.finish(fields) }
}

export interface TokenCounts {
  /** Total input tokens. Default: 10. */
  input?: number
  /** Total output tokens. Default: 5. */
  output?: number
  /** Input tokens that are read from the provider's cache. Default: 0. */
  cacheRead?: number
  /** Input tokens that are written to the provider's cache. Default: 0. */
  cacheWrite?: number
  /** Output tokens for reasoning. Default: 0. */
  reasoning?: number
}

const TOKEN_COUNTS: OptionNames<TokenCounts> = {
  input: 'optional',
  output: 'optional',
  cacheRead: 'optional',
  cacheWrite: 'optional',
  reasoning: 'optional',
}

/** Usage in the model's format. Default: 10 input and 5 output tokens. */
export function tokens(given: TokenCounts = {}): LanguageModelV4Usage {
  const counts = requireOptions('tokens()', given, TOKEN_COUNTS)
  const { input = 10, output = 5, cacheRead = 0, cacheWrite = 0, reasoning = 0 } = counts
  return {
    inputTokens: { total: input, noCache: input - cacheRead - cacheWrite, cacheRead, cacheWrite },
    outputTokens: { total: output, text: output - reasoning, reasoning },
  }
}
