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
 * The same object is passed for every chunk of a stream, with another `part`: read what you need before you await.
 *
 * A stream begins with `step-start`. The text parts of a step are one text, even with sources, reasoning and calls
 * between them. `response-end` means that the model's response is complete: do not hold text back after it. Results
 * of the agent's own tools and `step-finish` follow.
 */
export interface ProcessOutputStreamArgs extends ControlArgs {
  part: Chunk
  /** All chunks of this stream so far, including this one, as the model sent them. All processors share the array. */
  streamParts: readonly Chunk[]
  messageList: MessageList
  stepNumber: number
  abort: AbortOrRetry
}

/**
 * The chunk, several chunks in its place, or nothing to drop it. Structural chunks (`step-start`, `text-start`,
 * `text-end`, `reasoning-start`, `reasoning-end`, `response-end`, `step-finish`, `finish`) are not dropped. To hold
 * back the start or end of a part, return an empty array, and return the chunk later, at `response-end` at the
 * latest, in the original order. An end that is not returned is added when the response is complete.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessOutputStreamResult = Chunk | readonly Chunk[] | null | undefined | void

export interface ProcessOutputStepArgs extends SuspendArgs {
  /** All messages, including the new answer. */
  messages: Message[]
  messageList: MessageList
  systemMessages: SystemMessage[]
  stepNumber: number
  finishReason: FinishReason
  /** The calls of this step. None was executed yet. */
  toolCalls: ToolCall[]
  text: string
  usage: Usage
  /**
   * Set if the response was interrupted: see `keepsIncomplete` of {@link Processor}. Its calls are not executed.
   * Default: the response is complete.
   */
  incomplete?: Incomplete | undefined
  abort: AbortOrRetry
}

/**
 * Nothing: no change. Messages are merged by id; missing messages are kept. `toolCalls` replaces the step's calls;
 * missing calls are removed. `continue` keeps the answer, adds a user message and continues the loop.
 */
export type ProcessOutputStepResult =
  | ProcessorMessageValue
  | { toolCalls: ToolCall[] }
  | { continue: string | Message }

/** Either a chunk or, once, the result. */
export type ProcessDeliveryArgs = ProcessorArgs &
  ({ part: Chunk; result: undefined } | { part: undefined; result: RunResult })

/**
 * For a chunk as in `processOutputStream`, except that nothing means no change and `null` drops it. For the result:
 * the result.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessDeliveryResult = Chunk | readonly Chunk[] | RunResult | null | undefined | void

export interface ProcessOutputResultArgs extends SuspendArgs {
  /** The messages that this run has created. */
  messages: Message[]
  messageList: MessageList
  result: OutputResult
  /** The model of the run, as the caller passed it. */
  model: LanguageModel
  /** Set if the answer is incomplete: see `keepsIncomplete` of {@link Processor}. Default: the answer is complete. */
  incomplete?: Incomplete | undefined
  abort: AbortOrRetry
}

/** The result of the run, as the previous processors left it. */
export interface OutputResult {
  text: string
  object: unknown
  /**
   * Why there is no `object` although the run has an output schema. The run fails with it unless a processor repairs
   * the answer. Of a run that fails, processors that keep incomplete answers store only the calls that were executed.
   */
  objectError: Error | undefined
  steps: readonly StepResult[]
  usage: Usage
  finishReason: FinishReason
}

// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
type ProcessorMessageValue = void | undefined | Message[] | MessageList

/** Nothing: no change. Messages are merged by id; missing messages are kept. */
export type ProcessorMessageResult = MaybePromise<ProcessorMessageValue>

/** Hooks for the output. */
export interface OutputHooks {
  /** For every chunk, before it is emitted, stored or executed. */
  processOutputStream?(args: ProcessOutputStreamArgs): MaybePromise<ProcessOutputStreamResult>
  /**
   * After every model response, before its tools run. Also for an interrupted response, if a processor keeps
   * incomplete answers.
   */
  processOutputStep?(args: ProcessOutputStepArgs): MaybePromise<ProcessOutputStepResult>
  /** Once, after the last step. Also for an incomplete answer, if a processor keeps incomplete answers. */
  processOutputResult?(args: ProcessOutputResultArgs): MaybePromise<ProcessorMessageResult>
  /** Last, for the chunks and the result for the caller, after storage and tracing. For presentation only. */
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

/** The shapes of their results, for validation. */
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
