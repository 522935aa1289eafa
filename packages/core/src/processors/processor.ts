import type { LanguageModelV4, LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { MillraceError } from '../errors.ts'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { MessageList } from '../messages/message-list.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { ModelSettings } from '../model/model-settings.ts'
import type { RequestContext } from '../request-context.ts'
import type { ChunkType, DataChunk } from '../run/chunk.ts'
import type { FinishReason, RunResult, StepResult } from '../run/result.ts'
import type { Schema } from '../schema.ts'
import type { HaltOptions } from '../signals.ts'
import type { Tool, ToolCall, ToolChoice, ToolResult, ToolSet } from '../tools/tool.ts'
import type { TracingContext } from '../tracing-context.ts'
import type { Usage } from '../usage.ts'

type MaybePromise<T> = T | Promise<T>

/** The hooks of the loop, in the order in which a run reaches them. */
export const HOOK_NAMES = [
  'processInput',
  'processInputStep',
  'wrapModelCall',
  'processModelError',
  'processOutputStream',
  'processOutputStep',
  'processToolCall',
  'processExecution',
  'processToolResult',
  'processToolResults',
  'processOutputResult',
  'processDelivery',
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
   * the error into `result.warnings`; a `MillraceError` with a `CONFIG_…` code is the caller's mistake and is not
   * skipped. Default: `fail`.
   */
  readonly onError?: 'fail' | 'skip'
  /**
   * Names what only one processor of a list may do: two with the same name are a construction error, whatever their ids.
   * `message-history` among the input processors also says that the conversation is loaded from a store: of what a chat
   * client sends only the newest user message and answers to suspended runs are believed then.
   */
  readonly exclusive?: string

  /** Once, before the loop. */
  processInput?(args: ProcessInputArgs): MaybePromise<ProcessInputResult>
  /** Before every model call. */
  processInputStep?(args: ProcessInputStepArgs): MaybePromise<ProcessInputStepReturn>
  /** Around every model call, retries of the provider included. The first processor is outermost. */
  wrapModelCall?(args: WrapModelCallArgs): MaybePromise<AsyncIterable<ChunkType>>
  /** When a model call has failed after the provider's retries. */
  processModelError?(args: ProcessModelErrorArgs): MaybePromise<ProcessModelErrorResult>
  /** For every chunk, before it is emitted, stored or executed. */
  processOutputStream?(args: ProcessOutputStreamArgs): MaybePromise<ProcessOutputStreamResult>
  /** After every model response, before its tools run. */
  processOutputStep?(args: ProcessOutputStepArgs): MaybePromise<ProcessOutputStepResult>
  /** For every call the agent is to answer, in order, before any of them executes. */
  processToolCall?(args: ProcessToolCallArgs): MaybePromise<ProcessToolCallResult>
  /** For what a tool is given and gives back: its `execute` sees it so, and nothing keeps what goes in. */
  processExecution?(args: ProcessExecutionArgs): MaybePromise<ProcessExecutionResult>
  /** For every result of such a call, in call order: outputs, errors, denials and preliminary results. */
  processToolResult?(args: ProcessToolResultArgs): MaybePromise<ProcessToolResultResult>
  /** Once per step, after all results are in the transcript. */
  processToolResults?(args: ProcessToolResultsArgs): MaybePromise<ProcessToolResultsResult>
  /** Once, after the last step. */
  processOutputResult?(args: ProcessOutputResultArgs): MaybePromise<ProcessorMessageResult>
  /** Last, for chunks and the result on their way to the caller, after storage and tracing: presentation only. */
  processDelivery?(args: ProcessDeliveryArgs): MaybePromise<ProcessDeliveryResult>
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
  /**
   * Goes on with work after the hook: nothing of the run waits for it, `agent.close()` does. Where it fails, the run and
   * its result stay as they are, and listeners to `background-error` hear of it. It outlives the run, so it should not
   * depend on `abortSignal`.
   */
  waitUntil: (work: PromiseLike<unknown>) => void
  /**
   * Counts a call of a model that this processor made by itself. It shows in the processor's record in `result.processors`
   * and `steps[n].processors`, not in the `usage` of the run.
   */
  reportUsage: (report: UsageReport) => void
}

/** One call of a model, made by a processor. */
export interface UsageReport {
  /** The model, or its id. */
  model: LanguageModel
  /** As `result.usage` of an agent, or that of the AI SDK. Default: nothing known but the call. */
  usage?: Usage
}

/** What every hook gets that can stop the run. */
export interface ControlArgs extends ProcessorArgs {
  /** Ends the run with `status: 'tripwire'`. It throws, so nothing after it runs. */
  abort: Abort
  /** Ends the run with `status: 'halted'` and this answer. It throws, so nothing after it runs. */
  halt: (response?: string, options?: HaltOptions) => never
}

/** What every hook gets that can also interrupt the run. */
export interface SuspendArgs extends ControlArgs {
  /**
   * Ends the run with `status: 'suspended'`. When it is resumed, this hook is called again from its top, with
   * `resumeData`. The payload must be JSON. It throws, so nothing after it runs.
   */
  suspend: (payload?: unknown) => never
  /** What the run was resumed with, in the call that had suspended; `undefined` in all others. */
  resumeData: unknown
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

/** How the answer is to be structured. */
export interface StructuredOutputOptions {
  schema: Schema
  /** For providers that show a name and a description to the model. */
  name?: string
  description?: string
}

export interface ProcessInputStepArgs extends SuspendArgs {
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

/** One call of a model, as it is about to be made. Change it by passing another one to `next`. */
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

/**
 * The same object is passed for every chunk of a stream, with another `part`: take out what you need before you wait.
 */
export interface ProcessOutputStreamArgs extends ControlArgs {
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

export interface ProcessOutputStepArgs extends SuspendArgs {
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

export interface ProcessToolCallArgs extends SuspendArgs {
  /** The call, with its input as the model sent it or as the processors before have left it. */
  toolCall: ToolCall
  tool: Tool
  messageList: MessageList
  stepNumber: number
}

/**
 * Nothing lets the call go on. `input` replaces what the tool gets, and is validated again. `deny` answers with a
 * denial and `output` with a result; the tool is not executed, and later processors are not asked.
 */
export type ProcessToolCallResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
  void | undefined | { input: unknown } | { deny: string } | { output: unknown }

/**
 * Calls of a step execute side by side, so several may be on their way at the same time.
 *
 * `in`, in the order of the processors: the input, each time it is to be validated or shown to an approval policy, and
 * last when it goes to `execute`; where the tool had suspended, also its payload. `out`, in the opposite order and before
 * anything is kept: the output, each preliminary one, the message of an error, the payload the tool suspends with.
 */
export interface ProcessExecutionArgs extends ControlArgs {
  /** The call as steps, events, traces and suspended runs keep it. */
  toolCall: ToolCall
  tool: Tool
  direction: 'in' | 'out'
  value: unknown
  messageList: MessageList
  stepNumber: number
}

/** Nothing leaves the value as it is. What goes `in` is used and not kept; what comes `out` is all that is kept. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessExecutionResult = void | undefined | { value: unknown }

export interface ProcessToolResultArgs extends SuspendArgs {
  toolCall: ToolCall
  status: 'success' | 'error' | 'denied'
  /** What the tool returned, where `status` is `success`. */
  output: unknown
  /** What the model will be told, where `status` is `error` or `denied`. */
  error: string | undefined
  /** A streaming tool's result so far. The final result comes in a call of its own. */
  preliminary: boolean
  messageList: MessageList
  stepNumber: number
}

/** Nothing leaves the result as it is. `output` makes it a success, `error` an error. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessToolResultResult = void | undefined | { output: unknown } | { error: string }

export interface ProcessToolResultsArgs extends SuspendArgs {
  toolResults: ToolResult[]
  messages: Message[]
  messageList: MessageList
  stepNumber: number
  /** Of this step; its input tokens say how full the context window is. */
  usage: Usage
  /** Tokens the model can take, where the agent was told. */
  contextWindow: number | undefined
  maxOutputTokens: number | undefined
}

/** Nothing lets the loop go on. `finish` ends it, with `text` as the answer if given. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessToolResultsResult = void | undefined | { finish: true; text?: string }

/** Either a chunk or, once, the result. */
export type ProcessDeliveryArgs = ProcessorArgs &
  ({ part: ChunkType; result: undefined } | { part: undefined; result: RunResult })

/** For a chunk as in `processOutputStream`, but nothing leaves it as it is and `null` drops it. For the result, the result. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessDeliveryResult = ChunkType | readonly ChunkType[] | RunResult | null | undefined | void

export interface ProcessOutputResultArgs extends SuspendArgs {
  /** The messages this run made. */
  messages: Message[]
  messageList: MessageList
  result: OutputResult
  /** The model of the run, as its caller named it. */
  model: LanguageModel
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
