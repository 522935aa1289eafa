import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { MillraceError } from '../errors.ts'
import type { MessageList } from '../messages/message-list.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { ChunkType } from '../run/chunk.ts'
import type { StepResult } from '../run/result.ts'
import type { ToolChoice, ToolSet } from '../tools/tool.ts'
import type { SuspendArgs } from './hook-arguments.ts'
import type { StructuredOutputOptions } from './input-hooks.ts'

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

/**
 * `next` calls the model (or the next processor) and gives its chunks, the last one a `step-finish`. A hook that never
 * calls it answers in the model's place. `suspend` works before `next` has been called.
 */
export interface WrapModelCallArgs extends SuspendArgs {
  request: ModelRequest
  next: (request: ModelRequest) => AsyncIterable<ChunkType>
  messageList: MessageList
  stepNumber: number
  /** The steps before this one. */
  steps: readonly StepResult[]
}

export interface ProcessModelErrorArgs extends SuspendArgs {
  /** `MODEL_CALL_FAILED` or `MODEL_STREAM_FAILED`, with the provider's error as cause. */
  error: MillraceError
  /** Which failure of this step this is, counted from 1. After the second there is no retry. */
  attempt: number
  request: ModelRequest
  messageList: MessageList
  stepNumber: number
}

/** Nothing lets the run fail with the error. `retry` takes back what the call emitted and makes it again. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessModelErrorResult = void | undefined | { retry: true; request?: Partial<ModelRequest> }
