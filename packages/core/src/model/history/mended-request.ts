import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ModelRequest } from '../model-request.ts'
import type { HistoryRuleName } from './history-rules.ts'

export interface ResolvedRequest extends ModelRequest {
  model: LanguageModelV4
}

/** A request that was adapted to its provider, with the rules that changed its prompt. */
export interface MendedRequest {
  request: ResolvedRequest
  mended: readonly HistoryRuleName[]
}
