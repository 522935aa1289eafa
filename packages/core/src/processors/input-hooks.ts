import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { StructuredOutputOptions } from '../model/model-request.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { StepResult } from '../results/result.ts'
import type { ToolChoice, ToolSet } from '../tools/tool.ts'
import { MessageList } from '../transcript/message-list.ts'
import type { AbortOrRetry, MaybePromise, SuspendArgs } from './hook-arguments.ts'
import type { HookReturn } from './hook-return.ts'
import { message, systemMessage } from './message-shape.ts'
import { SETTINGS } from './settings-shape.ts'
import { describe, list, mismatch, object, type Place, string } from './shape.ts'

export interface ProcessInputArgs extends SuspendArgs {
  /** All messages except system messages: a new array of the live objects. */
  messages: Message[]
  systemMessages: SystemMessage[]
  messageList: MessageList
  /** Ends the run, also with `retry`, because there is no step to repeat yet. */
  abort: AbortOrRetry
}

/**
 * Nothing: no change. An array replaces the transcript: missing messages are removed, and system messages in it are
 * added to `systemMessages`. The same `MessageList`: it was edited in place.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessInputResult = void | undefined | Message[] | MessageList | ProcessInputMessages

export interface ProcessInputMessages {
  messages?: Message[]
  systemMessages?: SystemMessage[]
}

export interface ProcessInputStepArgs extends SuspendArgs {
  messages: Message[]
  /** Every step starts from what `processInput` left. */
  systemMessages: SystemMessage[]
  messageList: MessageList
  /** From 0. */
  stepNumber: number
  /** The previous steps, as copies for this processor. */
  steps: readonly StepResult[]
  model: LanguageModelV4
  /** Copies of the tools, for this step. Methods are called on the original tools; schemas are shared. */
  tools: ToolSet
  /** Names of the tools that this step may use. Default: all. */
  activeTools: string[] | undefined
  toolChoice: ToolChoice | undefined
  providerOptions: SharedV4ProviderOptions | undefined
  modelSettings: ModelSettings
  structuredOutput: StructuredOutputOptions | undefined
  /**
   * `request`: the system messages, tools and settings are those of a request of another program, which a
   * `ProcessorPipeline` passes on to the model. Else they are the agent's.
   */
  settingsFrom: 'request' | undefined
  /** Size of the context window in tokens, from the agent's option or the model. See `promptLimit`. */
  contextWindow: number | undefined
  /** From `modelSettings`, or from the model. */
  maxOutputTokens: number | undefined
}

/** Changes for this model call. `messages` and `messageList` are mutually exclusive. */
export interface ProcessInputStepResult {
  /** The messages of this call. The transcript is not changed. */
  messages?: Message[]
  /** The same list, edited in place. */
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

/** Hooks before the model call. */
export interface InputHooks {
  /** Once, before the loop. */
  processInput?(args: ProcessInputArgs): MaybePromise<ProcessInputResult>
  /** Before every model call. */
  processInputStep?(args: ProcessInputStepArgs): MaybePromise<ProcessInputStepReturn>
}

const messages = list(message)

function givenList(value: unknown, place: Place): unknown {
  if (value instanceof MessageList) return value
  throw mismatch(place, describe(value))
}

/** The shapes of their results, for validation. */
export const INPUT_RETURNS: Readonly<Record<keyof InputHooks, HookReturn>> = {
  processInput: {
    allowed: 'messages, the MessageList it was given, or { messages?, systemMessages? }',
    list: messages,
    messageList: true,
    object: object({}, { optional: { messages, systemMessages: list(systemMessage) } }),
  },
  processInputStep: {
    allowed:
      'messages, the MessageList it was given, or any of { messages or messageList, systemMessages, model, tools, activeTools, toolChoice, providerOptions, modelSettings, structuredOutput }',
    list: messages,
    messageList: true,
    object: object(
      {},
      {
        optional: {
          messages,
          messageList: givenList,
          systemMessages: list(systemMessage),
          activeTools: list(string),
          ...SETTINGS,
        },
      },
    ),
  },
}
