import type { Message, SystemMessage } from '../messages/message.ts'
import type { LanguageModel } from '../model/language-model.ts'
import type { Chunk } from '../results/chunk.ts'
import type { FinishReason, Incomplete } from '../results/outcome.ts'
import type { RunResult, StepResult } from '../results/result.ts'
import type { ToolCall } from '../tools/tool.ts'
import type { MessageList } from '../transcript/message-list.ts'
import type { Usage } from '../usage.ts'
import { finishReason, status, usage } from './chunk-shape.ts'
import type { AbortOrRetry, ControlArgs, MaybePromise, ProcessorArgs, SuspendArgs } from './hook-arguments.ts'
import type { HookReturn } from './hook-return.ts'
import { message, toolCall } from './message-shape.ts'
import { anything, boolean, either, list, object, string } from './shape.ts'

/**
 * The same object is passed for every chunk of a stream, with another `part`: take out what you need before you wait.
 *
 * A stream begins with `step-start`. The text parts of a step are one text, with sources, reasoning and calls anywhere between
 * them, and `response-end` says that the model's response is complete: nothing needs to be held back behind it. Results of
 * the agent's own tools and `step-finish` come after.
 */
export interface ProcessOutputStreamArgs extends ControlArgs {
  part: Chunk
  /** All chunks of this stream so far, this one included, as the model sent them. One list for all processors. */
  streamParts: readonly Chunk[]
  messageList: MessageList
  stepNumber: number
  abort: AbortOrRetry
}

/**
 * The chunk, several in its place, or nothing to drop it. What holds the stream together (`step-start`, `text-start`,
 * `text-end`, `reasoning-start`, `reasoning-end`, `response-end`, `step-finish`, `finish`) is not dropped. The start and end of
 * a part can be held back with an empty list, and returned later, by `response-end` at the latest, in the order they came in;
 * an end that is never returned is added when the response is complete.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessOutputStreamResult = Chunk | readonly Chunk[] | null | undefined | void

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
  /** The response broke off: see `keepsIncomplete` of {@link Processor}. Its calls are not executed. Default: it is whole. */
  incomplete?: Incomplete | undefined
  abort: AbortOrRetry
}

/**
 * Nothing leaves all as it is. Messages are merged by id; what is left out stays. `toolCalls` rewrites or trims the
 * step's calls. `continue` keeps the answer, adds a user's message and continues the loop.
 */
export type ProcessOutputStepResult =
  | ProcessorMessageValue
  | { toolCalls: ToolCall[] }
  | { continue: string | Message }

/** Either a chunk or, once, the result. */
export type ProcessDeliveryArgs = ProcessorArgs &
  ({ part: Chunk; result: undefined } | { part: undefined; result: RunResult })

/** For a chunk as in `processOutputStream`, but nothing leaves it as it is and `null` drops it. For the result, the result. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessDeliveryResult = Chunk | readonly Chunk[] | RunResult | null | undefined | void

export interface ProcessOutputResultArgs extends SuspendArgs {
  /** The messages this run made. */
  messages: Message[]
  messageList: MessageList
  result: OutputResult
  /** The model of the run, as its caller named it. */
  model: LanguageModel
  /** It is what went out of an answer that came to no end: see `keepsIncomplete` of {@link Processor}. Default: it is whole. */
  incomplete?: Incomplete | undefined
  abort: AbortOrRetry
}

/** What the run has come to, as the processors before have left it. */
export interface OutputResult {
  text: string
  object: unknown
  /** Why there is no `object` though one was asked for. Unless a processor mends the answer, the run fails with it. */
  objectError: Error | undefined
  steps: readonly StepResult[]
  usage: Usage
  finishReason: FinishReason
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
type ProcessorMessageValue = void | undefined | Message[] | MessageList

/** Nothing leaves all as it is. Messages are merged by id; what is left out stays. */
export type ProcessorMessageResult = MaybePromise<ProcessorMessageValue>

/** On the way out. */
export interface OutputHooks {
  /** For every chunk, before it is emitted, stored or executed. */
  processOutputStream?(args: ProcessOutputStreamArgs): MaybePromise<ProcessOutputStreamResult>
  /** After every model response, before its tools run. Also of one that broke off, where such answers are kept. */
  processOutputStep?(args: ProcessOutputStepArgs): MaybePromise<ProcessOutputStepResult>
  /** Once, after the last step. Also of an answer that came to no end, where such answers are kept. */
  processOutputResult?(args: ProcessOutputResultArgs): MaybePromise<ProcessorMessageResult>
  /** Last, for chunks and the result on their way to the caller, after storage and tracing: presentation only. */
  processDelivery?(args: ProcessDeliveryArgs): MaybePromise<ProcessDeliveryResult>
}

const messages = list(message)
const anyCount = object({}, { open: true })

const stepResult = object(
  {
    text: string,
    reasoningText: string,
    toolCalls: list(toolCall),
    toolResults: list(toolCall),
    finishReason,
    usage,
  },
  { open: true },
)

const runResult = object(
  {
    runId: string,
    status,
    text: string,
    reasoningText: string,
    messages,
    steps: list(stepResult),
    usage,
    finishReason,
    processors: list(anyCount),
    warnings: list(anyCount),
    tripwire: boolean,
  },
  {
    optional: {
      object: anything,
      rejection: anyCount,
      halt: anyCount,
      suspension: anyCount,
      abortReason: anything,
    },
  },
)

/** What they may return, to be checked. */
export const OUTPUT_RETURNS: Readonly<Record<keyof OutputHooks, HookReturn>> = {
  processOutputStream: { allowed: 'the chunk, another, a list of chunks, or null' },
  processOutputStep: {
    allowed: 'messages, the MessageList it was given, { toolCalls }, or { continue: string or message }',
    list: messages,
    messageList: true,
    object: object(
      {},
      {
        optional: { toolCalls: list(toolCall), continue: either('string', string, message) },
        oneOf: ['toolCalls', 'continue'],
      },
    ),
  },
  processOutputResult: {
    allowed: 'messages, or the MessageList it was given',
    list: messages,
    messageList: true,
  },
  processDelivery: {
    allowed: 'for a chunk the chunk, another, a list of chunks, or null; for the result the result',
    object: runResult,
  },
}
