import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Schema } from '../schema.ts'
import type { ToolChoice, ToolSet } from '../tools/tool.ts'
import type { LanguageModel } from './language-model.ts'
import type { ModelSettings } from './model-settings.ts'

/** A model call before it is made. A copy for this call: to change it, pass another one to `next`. */
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

/** The format of a structured answer. */
export interface StructuredOutputOptions {
  schema: Schema
  /** For providers that pass a name and a description to the model. */
  name?: string
  description?: string
}
