import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Schema } from '../schema.ts'
import type { ToolChoice, ToolSet } from '../tools/tool.ts'
import type { LanguageModel } from './language-model.ts'
import type { ModelSettings } from './model-settings.ts'

/** One call of a model, as it is about to be made. Change it by passing another one to `next`. It is a copy, for this call. */
export interface ModelRequest {
  model: LanguageModel
  prompt: LanguageModelV4Prompt
  /** The tools of this step, by name. */
  tools: ToolSet
  toolChoice: ToolChoice | undefined
  modelSettings: ModelSettings
  providerOptions: SharedV4ProviderOptions | undefined
  structuredOutput: StructuredOutputOptions | undefined
}

/** How the answer is to be structured. */
export interface StructuredOutputOptions {
  schema: Schema
  /** For providers that show a name and a description to the model. */
  name?: string
  description?: string
}
