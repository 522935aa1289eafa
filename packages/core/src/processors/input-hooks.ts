import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { StructuredOutputOptions } from '../model/model-request.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { StepResult } from '../results/result.ts'
import type { ToolChoice, ToolSet } from '../tools/tool.ts'
import type { MessageList } from '../transcript/message-list.ts'
import type { AbortOrRetry, SuspendArgs } from './hook-arguments.ts'

export interface ProcessInputArgs extends SuspendArgs {
  /** All messages but system messages: a fresh array of the live objects. */
  messages: Message[]
  systemMessages: SystemMessage[]
  messageList: MessageList
  /** With or without `retry`, this ends the run: there is no step to run again yet. */
  abort: AbortOrRetry
}

/**
 * Nothing leaves all as it is. An array becomes the transcript: what it leaves out is removed, system messages in it
 * join `systemMessages`. The same `MessageList` says that it was changed directly.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessInputResult = void | undefined | Message[] | MessageList | ProcessInputMessages

export interface ProcessInputMessages {
  messages?: Message[]
  systemMessages?: SystemMessage[]
}

export interface ProcessInputStepArgs extends SuspendArgs {
  messages: Message[]
  /** Starts, at every step, from what `processInput` left. */
  systemMessages: SystemMessage[]
  messageList: MessageList
  /** Counted from 0. */
  stepNumber: number
  /** The steps before this one: copies of this processor's. */
  steps: readonly StepResult[]
  model: LanguageModelV4
  /** Copies of the tools, for this step. Their methods run on the tools themselves; their schemas are shared. */
  tools: ToolSet
  /** Names of the tools this step may use. Default: all. */
  activeTools: string[] | undefined
  toolChoice: ToolChoice | undefined
  providerOptions: SharedV4ProviderOptions | undefined
  modelSettings: ModelSettings
  structuredOutput: StructuredOutputOptions | undefined
}

/** What to change for this model call. `messages` and `messageList` exclude each other. */
export interface ProcessInputStepResult {
  /** What this call sees. The transcript stays as it is. */
  messages?: Message[]
  /** The same list, changed directly. */
  messageList?: MessageList
  systemMessages?: SystemMessage[]
  /** A model, or an id such as `openai/gpt-4o`. */
  model?: LanguageModel
  tools?: ToolSet
  activeTools?: string[]
  toolChoice?: ToolChoice
  providerOptions?: SharedV4ProviderOptions
  modelSettings?: ModelSettings
  structuredOutput?: StructuredOutputOptions
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessInputStepReturn = void | undefined | Message[] | MessageList | ProcessInputStepResult
