import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'

export interface ProviderCall {
  model: LanguageModelV4
  options: LanguageModelV4CallOptions
  maxRetries: number
  signal: AbortSignal
}
