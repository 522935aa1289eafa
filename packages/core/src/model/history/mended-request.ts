import type { LanguageModelV4 } from '@ai-sdk/provider'
import type { ModelRequest } from '../model-request.ts'
import type { HistoryRuleName } from './history-rules.ts'

export interface ResolvedRequest extends ModelRequest {
  model: LanguageModelV4
}

/** A request as its provider takes it, with the rules by which its prompt was mended, if any. */
export interface MendedRequest {
  request: ResolvedRequest
  mended: readonly HistoryRuleName[]
}
