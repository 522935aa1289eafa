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
  /** Tokens the model can take, where the agent was told or the model says. See `promptLimit`. */
  contextWindow: number | undefined
  /** Of `modelSettings`, or what the model says. */
  maxOutputTokens: number | undefined
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

/** Before the model call. */
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

/** What they may return, to be checked. */
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
