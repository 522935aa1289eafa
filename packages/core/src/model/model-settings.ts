import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'

/** Settings of a model call, in the AI SDK's names. What is left out is the provider's default. */
export interface ModelSettings {
  maxOutputTokens?: number
  temperature?: number
  topP?: number
  topK?: number
  presencePenalty?: number
  frequencyPenalty?: number
  stopSequences?: string[]
  seed?: number
  /** How much the model reasons before it answers, where it can be told. */
  reasoning?: NonNullable<LanguageModelV4CallOptions['reasoning']>
  /** HTTP headers for the provider. */
  headers?: Record<string, string>
  /** How often a failed call is tried again. Default: 2. */
  maxRetries?: number
}
