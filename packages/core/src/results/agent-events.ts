import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { MillraceError, type MillraceErrorCode } from '../errors.ts'
import type { HookName } from '../hook-name.ts'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { Usage } from '../usage.ts'
import type { Chunk } from './chunk.ts'
import type { FinishReason } from './outcome.ts'
import type { ProcessorAction, ProcessorRecord, RunResult } from './result.ts'

/** Fields of every event. */
export interface RunEvent {
  runId: string
  /** Time in milliseconds since 1970, with fractions to order events of the same millisecond. */
  at: number
  agentName: string
  threadId: string | undefined
  resourceId: string | undefined
}

export interface RunStartEvent extends RunEvent {
  /** The suspended run that this run resumes. */
  resumedFrom: string | undefined
  /**
   * How often a process has started to work on this run: 1, plus one after each crash. Always 1 for runs that are
   * neither stored nor durable.
   */
  attempt: number
  /** The input of a new run, before any processor. For listeners with `content: true` only. */
  input?: RunInput
}

/** Text is truncated to 16,000 characters, and files have no content. */
export interface RunInput {
  /** The agent's instructions, and the system messages of the input. */
  systemMessages: readonly SystemMessage[]
  messages: readonly Message[]
}

export interface StepFinishEvent extends RunEvent {
  /** From 0. */
  stepNumber: number
  finishReason: FinishReason
  usage: Usage
  /** In milliseconds. */
  durationMs: number
  /** The calls of the step, by name. Their inputs are in the result. */
  toolCalls: { toolCallId: string; toolName: string }[]
  /** Number of rejected attempts at this step. */
  discarded: number
}

/** Emitted before a model is called, by the agent or by a processor that calls it again or calls another model. */
export interface ModelStartEvent extends RunEvent {
  stepNumber: number
  /** The provider's name, from the model. */
  provider: string
  modelId: string
  /** Number of messages in the prompt, including system messages. */
  messageCount: number
  /** The names of the tools that the model can call. */
  tools: string[]
  /** The prompt. For listeners with `content: true` only. */
  prompt?: PromptChange
}

/** A prompt, as a difference from the previous prompt of the same run. */
export interface PromptChange {
  /** Number of messages at the start that are the same as in the previous prompt. */
  kept: number
  /** The messages after them. Text is truncated to 16,000 characters, and files have no content. */
  messages: LanguageModelV4Prompt
}

/**
 * The chunks that were emitted since the last such event, before `processDelivery`. Emitted at most every 25 ms
 * during a run, and only for listeners with `content: true`.
 */
export interface OutputEvent extends RunEvent {
  entries: OutputEntry[]
}

/** A chunk, or consecutive deltas of one part. */
export interface OutputEntry {
  at: number
  /**
   * The chunk. Several deltas are merged into one. Text is truncated to 16,000 characters, and files have no content.
   * Of several preliminary results of a call, only the last is kept.
   */
  chunk: Chunk
  /** The length of each delta in characters, if there are several. */
  sizes?: number[]
}

/** Emitted before a tool is executed. */
export interface ToolStartEvent extends RunEvent {
  stepNumber: number
  toolCallId: string
  toolName: string
}

export interface ToolFinishEvent extends RunEvent {
  stepNumber: number
  toolCallId: string
  toolName: string
  /** How `execute` ended. Processors may change what the model receives. */
  status: 'success' | 'error' | 'suspended'
  /** Duration of all attempts, including the waiting time between them. */
  durationMs: number
  /** Number of retries after an error that is `retryable`. */
  retries: number
}

/** The record of a processor in one hook and step, if it has changed or stopped anything, or has called a model. */
export interface ProcessorEvent extends RunEvent, ProcessorRecord {}

/**
 * The decision of a processor in one call of a hook, even if it let everything pass. Stream hooks, `wrapModelCall`
 * and the members of composed processors have one event for all calls in a step, at its end. At most 100 decisions of
 * one processor, hook and step are emitted; then one event with `truncated` and the record of all calls so far.
 */
export interface ProcessorDecisionEvent extends RunEvent, ProcessorRecord {
  /** The tool call that it is about. */
  toolCallId: string | undefined
  /** Whether later decisions are not emitted. */
  truncated: boolean
  /** Set if the processor has held chunks of the stream back. */
  held?: true
}

/**
 * A change that a processor made, or what it ended the run on. At most 100 changes of one processor, hook and step
 * are emitted; then one event with `truncated` and no location.
 */
export interface ProcessorChangeEvent extends RunEvent {
  processorId: string
  hook: HookName
  stepNumber: number | undefined
  /** `changed`, or how the processor ended the run or denied something: `denied`, `aborted`, `halted`, … */
  action: ProcessorAction
  /** The message in the transcript, and the position of the first part that differs. */
  messageId?: string
  partIndex?: number
  /** The part of a stream. */
  partId?: string
  toolCallId?: string
  /**
   * The other data that was changed: `systemMessages`, `settings`, `toolCalls`, a tool's `input` or `result`, or a
   * value of `processExecution` (`in`, `out`, `view`).
   */
  key?: string
  /**
   * Text or JSON, up to 4,000 characters each; `undefined` if there is none. In a stream, from the first character of
   * a part that differs. For listeners with `content: true` only.
   */
  before?: string | undefined
  after?: string | undefined
  /** Whether text was truncated. */
  truncated: boolean
}

export interface RunFinishEvent extends RunEvent {
  /**
   * A copy of the result before `processDelivery`. `suspension` has no methods. Errors in `warnings` have only a name
   * unless they are errors of Millrace, because their message may quote user content.
   */
  result: RunResult
}

export interface RunErrorEvent extends RunEvent {
  error: EventError
}

/** Background work of a hook (`waitUntil`) has failed, possibly after the run has ended. */
export interface BackgroundErrorEvent extends RunEvent {
  processorId: string
  hook: HookName
  error: EventError
}

/** An error without its cause, which may quote user content. */
export interface EventError {
  name: string
  code: MillraceErrorCode | undefined
  message: string
  stack: string | undefined
}

/**
 * The events of an agent's runs. During a run, events report what happened without user content, since the content
 * may still be redacted or rejected. `run-finish` contains all content, as the processors left it.
 *
 * Each run has one `run-start`, and one `run-finish` or `run-error`. Only `background-error` may follow.
 */
export interface AgentEvents {
  'run-start': RunStartEvent
  'model-start': ModelStartEvent
  'step-finish': StepFinishEvent
  'tool-start': ToolStartEvent
  'tool-finish': ToolFinishEvent
  processor: ProcessorEvent
  'processor-decision': ProcessorDecisionEvent
  'processor-change': ProcessorChangeEvent
  output: OutputEvent
  'run-finish': RunFinishEvent
  'run-error': RunErrorEvent
  'background-error': BackgroundErrorEvent
}

export type AgentEventName = keyof AgentEvents

/** The names of all events. */
const EVENT_NAMES: Readonly<Record<AgentEventName, true>> = {
  'run-start': true,
  'model-start': true,
  'step-finish': true,
  'tool-start': true,
  'tool-finish': true,
  processor: true,
  'processor-decision': true,
  'processor-change': true,
  output: true,
  'run-finish': true,
  'run-error': true,
  'background-error': true,
}

/** @throws MillraceError `CONFIG_INVALID` if no event has this name */
export function checkEventName(name: string): void {
  if (Object.hasOwn(EVENT_NAMES, name)) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `There is no event '${String(name)}'. An agent has ${Object.keys(EVENT_NAMES).join(', ')}.`,
  )
}

export interface ListenerEntry {
  name: AgentEventName
  listener: (event: unknown) => unknown
  /** Whether the listener receives user content, including removed and blocked content. */
  content?: boolean
}

/** Options of a listener. */
export interface ListenerOptions {
  /**
   * Whether events during a run contain user content: `before` of a `processor-change`, including what a guard has
   * removed or blocked; the input of a `run-start`; the prompt of a `model-start`; and `output` events. Other events
   * are the same. Default: false.
   */
  content?: boolean
}

/** All listeners of an agent. */
export type Listeners = Set<ListenerEntry>

/** Receives a frozen copy of an event. Its return value and errors are ignored. */
export type AgentListener<NAME extends AgentEventName> = (event: AgentEvents[NAME]) => unknown
