import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { OptionNames } from '../option-names.ts'

/** Settings of a model call, named as in the AI SDK. Default: the provider's. */
export interface ModelSettings {
  maxOutputTokens?: number
  temperature?: number
  topP?: number
  topK?: number
  presencePenalty?: number
  frequencyPenalty?: number
  stopSequences?: string[]
  seed?: number
  /** How much the model reasons before it answers, if it supports that. */
  reasoning?: NonNullable<LanguageModelV4CallOptions['reasoning']>
  /** HTTP headers for the provider. */
  headers?: Record<string, string>
  /** Maximum number of retries of a failed call. Default: 2. */
  maxRetries?: number
}

export const MODEL_SETTINGS: OptionNames<ModelSettings> = {
  maxOutputTokens: 'optional',
  temperature: 'optional',
  topP: 'optional',
  topK: 'optional',
  presencePenalty: 'optional',
  frequencyPenalty: 'optional',
  stopSequences: 'optional',
  seed: 'optional',
  reasoning: 'optional',
  headers: 'optional',
  maxRetries: 'optional',
}
