import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { MessageList } from '../messages/message-list.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { RequestContext } from '../request-context.ts'
import type { ChunkType, DataChunk } from '../run/chunk.ts'
import type { FinishReason, StepResult } from '../run/result.ts'
import type { Schema } from '../schema.ts'
import type { ToolCall, ToolChoice, ToolSet } from '../tools/tool.ts'
import type { TracingContext } from '../tracing-context.ts'
import type { Usage } from '../usage.ts'

type MaybePromise<T> = T | Promise<T>

/** The hooks of the loop, in the order in which a run reaches them. */
export const HOOK_NAMES = [
  'processInput',
  'processInputStep',
  'processOutputStream',
  'processOutputStep',
  'processOutputResult',
] as const

export type HookName = (typeof HOOK_NAMES)[number]

/**
 * A gate in the loop. It implements the hooks it needs; each may answer at once or with a promise. An instance serves
 * many runs at the same time, so what belongs to a run lives in the hooks' `state`, not in fields.
 *
 * A hook that throws fails the run with `PROCESSOR_FAILED`: what it was to check goes nowhere.
 */
export interface Processor<TId extends string = string> {
  /** Unique within a list. Names the processor in results, traces and errors. */
  readonly id: TId
  /** For display. Default: `id`. */
  readonly name?: string
  /**
   * What happens when a hook throws: `fail` ends the run, `skip` goes on as if the hook had returned nothing and puts
   * the error into `result.warnings`. Default: `fail`.
   */
  readonly onError?: 'fail' | 'skip'

  /** Once, before the loop. */
  processInput?(args: ProcessInputArgs): MaybePromise<ProcessInputResult>
  /** Before every model call. */
  processInputStep?(args: ProcessInputStepArgs): MaybePromise<ProcessInputStepReturn>
  /** For every chunk, before it is emitted, stored or executed. */
  processOutputStream?(args: ProcessOutputStreamArgs): MaybePromise<ProcessOutputStreamResult>
  /** After every model response, before its tools run. */
  processOutputStep?(args: ProcessOutputStepArgs): MaybePromise<ProcessOutputStepResult>
  /** Once, after the last step. */
  processOutputResult?(args: ProcessOutputResultArgs): MaybePromise<ProcessorMessageResult>
}

/** A processor with at least one input hook. */
export type InputProcessor<TId extends string = string> = Processor<TId> &
  (Required<Pick<Processor<TId>, 'processInput'>> | Required<Pick<Processor<TId>, 'processInputStep'>>)

/** A processor with at least one output hook. */
export type OutputProcessor<TId extends string = string> = Processor<TId> &
  (
    | Required<Pick<Processor<TId>, 'processOutputStream'>>
    | Required<Pick<Processor<TId>, 'processOutputStep'>>
    | Required<Pick<Processor<TId>, 'processOutputResult'>>
  )

/** Something that brings processors with it, such as a memory. */
export interface ProcessorProvider {
  getInputProcessors?(): Processor[]
  getOutputProcessors?(): Processor[]
}

/** What every hook gets. */
export interface ProcessorArgs {
  /** This processor's own, for this run: shared by its hooks, and by nobody else. */
  state: Record<string, unknown>
  requestContext: RequestContext
  tracingContext: TracingContext
  /** Fires when the run is aborted. A hook that waits for something should pass it on. */
  abortSignal: AbortSignal
  /** Writes application data into the stream. */
  writer: ChunkWriter
  /** How often processors have asked for a retry in this run. */
  retryCount: number
}

/** Writes `data-*` chunks to the caller. They are not checked by processors and not stored. */
export interface ChunkWriter {
  /** Resolves when the reader has room for more. */
  write(chunk: DataChunk): Promise<void>
}

/** Ends the run with `status: 'tripwire'`. It throws, so nothing after it runs. */
export type Abort = (reason?: string, options?: { metadata?: unknown }) => never

/** As {@link Abort}; with `retry: true` the step is discarded and runs again, with the reason as feedback. */
export type AbortOrRetry = (reason?: string, options?: { retry?: boolean; metadata?: unknown }) => never

export interface ProcessInputArgs extends ProcessorArgs {
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

/** How the answer is to be structured. */
export interface StructuredOutputOptions {
  schema: Schema
  /** For providers that show a name and a description to the model. */
  name?: string
  description?: string
}

export interface ProcessInputStepArgs extends ProcessorArgs {
  messages: Message[]
  /** Starts, at every step, from what `processInput` left. */
  systemMessages: SystemMessage[]
  messageList: MessageList
  /** Counted from 0. */
  stepNumber: number
  /** The steps before this one. */
  steps: readonly StepResult[]
  model: LanguageModelV4
  tools: ToolSet
  /** Names of the tools this step may use. Default: all. */
  activeTools: string[] | undefined
  toolChoice: ToolChoice | undefined
  providerOptions: SharedV4ProviderOptions | undefined
  modelSettings: ModelSettings
  structuredOutput: StructuredOutputOptions | undefined
  abort: Abort
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

/**
 * The same object is passed for every chunk of a stream, with another `part`: take out what you need before you wait.
 */
export interface ProcessOutputStreamArgs extends ProcessorArgs {
  part: ChunkType
  /** All chunks of this stream so far, this one included, as the model sent them. One list for all processors. */
  streamParts: readonly ChunkType[]
  messageList: MessageList
  stepNumber: number
  abort: AbortOrRetry
}

/** The chunk, several in its place, or nothing to drop it. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessOutputStreamResult = ChunkType | readonly ChunkType[] | null | undefined | void

export interface ProcessOutputStepArgs extends ProcessorArgs {
  /** All messages, the new answer included. */
  messages: Message[]
  messageList: MessageList
  systemMessages: SystemMessage[]
  stepNumber: number
  finishReason: FinishReason
  /** The calls of this step. None has run. */
  toolCalls: ToolCall[]
  text: string
  usage: Usage
  abort: AbortOrRetry
}

/**
 * Nothing leaves all as it is. Messages are merged by id; what is left out stays. `toolCalls` rewrites or trims the
 * step's calls. `continue` keeps the answer, adds a user's message and lets the loop go on.
 */
export type ProcessOutputStepResult =
  | ProcessorMessageValue
  | { toolCalls: ToolCall[] }
  | { continue: string | Message }

export interface ProcessOutputResultArgs extends ProcessorArgs {
  /** The messages this run made. */
  messages: Message[]
  messageList: MessageList
  result: OutputResult
  abort: AbortOrRetry
}

/** What the run has come to, as the processors before have left it. */
export interface OutputResult {
  text: string
  object: unknown
  steps: readonly StepResult[]
  usage: Usage
  finishReason: FinishReason
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
type ProcessorMessageValue = void | undefined | Message[] | MessageList

/** Nothing leaves all as it is. Messages are merged by id; what is left out stays. */
export type ProcessorMessageResult = MaybePromise<ProcessorMessageValue>
