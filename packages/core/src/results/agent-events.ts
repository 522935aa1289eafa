import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { MillraceError, type MillraceErrorCode } from '../errors.ts'
import type { HookName } from '../hook-name.ts'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { Usage } from '../usage.ts'
import type { Chunk } from './chunk.ts'
import type { FinishReason } from './outcome.ts'
import type { ProcessorAction, ProcessorRecord, RunResult } from './result.ts'

/** What every event says. */
export interface RunEvent {
  runId: string
  /** When it happened, in milliseconds since 1970, with fractions that tell events of one millisecond apart. */
  at: number
  agentName: string
  threadId: string | undefined
  resourceId: string | undefined
}

export interface RunStartEvent extends RunEvent {
  /** The suspended run this one resumes. */
  resumedFrom: string | undefined
  /** How often a process has taken this run on: 1, and one more after each crash. Of stored and durable runs; else 1. */
  attempt: number
  /** What a new run is given, before any processor. For listeners with `content: true` only. */
  input?: RunInput
}

/** Texts in it are cut at 16,000 characters, and files have no content. */
export interface RunInput {
  /** The agent's instructions, and the system messages of the input. */
  systemMessages: readonly SystemMessage[]
  messages: readonly Message[]
}

export interface StepFinishEvent extends RunEvent {
  /** Counted from 0. */
  stepNumber: number
  finishReason: FinishReason
  usage: Usage
  /** Milliseconds. */
  durationMs: number
  /** The calls of the step, by name; their inputs are in the result. */
  toolCalls: { toolCallId: string; toolName: string }[]
  /** Attempts at this step that were rejected before. */
  discarded: number
}

/** A model is about to be called: by the agent, or by a processor that calls it again, or another in its place. */
export interface ModelStartEvent extends RunEvent {
  stepNumber: number
  /** As the AI SDK's model names it. */
  provider: string
  modelId: string
  /** Messages in the prompt, system messages included. */
  messageCount: number
  /** The names of the tools the model has. */
  tools: string[]
  /** What the model is asked. For listeners with `content: true` only. */
  prompt?: PromptChange
}

/** A prompt, compared with that of the call before in the same run. */
export interface PromptChange {
  /** How many messages it begins with that the prompt before began with too. */
  kept: number
  /** Those after them. Texts are cut at 16,000 characters, and files have no content. */
  messages: LanguageModelV4Prompt
}

/**
 * What was emitted to the caller since the last such event, before `processDelivery`. At most every 25 ms while a run is under
 * way. For listeners with `content: true` only: the others get no such event.
 */
export interface OutputEvent extends RunEvent {
  entries: OutputEntry[]
}

/** A chunk, or the deltas of one part that were emitted one after the other. */
export interface OutputEntry {
  at: number
  /**
   * The chunk; of several deltas, one with all of their text. Texts are cut at 16,000 characters, and files have no content. Of
   * preliminary results that one call had meanwhile, the last.
   */
  chunk: Chunk
  /** How many characters each delta had, where there are several. */
  sizes?: number[]
}

/** A tool is about to be executed. */
export interface ToolStartEvent extends RunEvent {
  stepNumber: number
  toolCallId: string
  toolName: string
}

export interface ToolFinishEvent extends RunEvent {
  stepNumber: number
  toolCallId: string
  toolName: string
  /** How `execute` ended; what the model is told is up to the processors after it. */
  status: 'success' | 'error' | 'suspended'
  /** Of all attempts, with the waits between them. */
  durationMs: number
  /** How often the call was executed again after an error that is `retryable`. */
  retries: number
}

/** What a processor did in one hook and step, if it did anything but let everything pass, or asked a model. */
export interface ProcessorEvent extends RunEvent, ProcessorRecord {}

/**
 * What a processor decided in one call of a hook, also where it let everything pass: when it has decided. Hooks that see
 * each chunk, `wrapModelCall` and the members of composed processors have one event for all calls in a step, at its end.
 * Decisions of one processor, hook and step are told up to the hundredth; after that one event with `truncated` and what
 * the processor has done in all calls so far says that there are more.
 */
export interface ProcessorDecisionEvent extends RunEvent, ProcessorRecord {
  /** The tool call it is about. */
  toolCallId: string | undefined
  /** Later decisions are not told. */
  truncated: boolean
  /** It held chunks of the stream back for a time. */
  held?: true
}

/**
 * One change that a processor made, or what it ended the run over. Changes of one processor, hook and step are told up to
 * the hundredth; after that one event with `truncated` and no place says that there are more.
 */
export interface ProcessorChangeEvent extends RunEvent {
  processorId: string
  hook: HookName
  stepNumber: number | undefined
  /** `changed`, or how the processor refused what it was shown: `denied`, `aborted`, `halted`, … */
  action: ProcessorAction
  /** The message in the transcript, and the position of the first part that differs. */
  messageId?: string
  partIndex?: number
  /** The part of a stream. */
  partId?: string
  toolCallId?: string
  /**
   * What else was changed: `systemMessages`, `settings`, `toolCalls`, a tool's `input` or `result`, or what goes `in` to it,
   * comes `out` of it or is shown of it (`view`).
   */
  key?: string
  /**
   * Text, or JSON, up to 4,000 characters of each; `undefined` where there was nothing, or is nothing any more. In a stream,
   * from the first character of a part that differs. For listeners with `content: true` only.
   */
  before?: string | undefined
  after?: string | undefined
  /** Something was cut off. */
  truncated: boolean
}

export interface RunFinishEvent extends RunEvent {
  /**
   * A copy of the result, as it was before `processDelivery`. `suspension` has no methods here, and errors in `warnings`
   * that are not Millrace's have only a name: their message may quote what was said.
   */
  result: RunResult
}

export interface RunErrorEvent extends RunEvent {
  error: EventError
}

/** Work that a hook went on with by `waitUntil` has failed, perhaps after its run. */
export interface BackgroundErrorEvent extends RunEvent {
  processorId: string
  hook: HookName
  error: EventError
}

/** An error, without its cause: that may quote what was said. */
export interface EventError {
  name: string
  code: MillraceErrorCode | undefined
  message: string
  stack: string | undefined
}

/**
 * The events of an agent's runs. While a run is under way they tell what happened and not what was said, since that may
 * still be redacted or rejected; `run-finish` has all of it, as the processors left it.
 *
 * Each run has one `run-start`, and one `run-finish` or `run-error`. Only `background-error` may come later.
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

/** The names there are. */
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
  /** Wants what was said, also what was taken away or blocked. */
  content?: boolean
}

/** How an agent's events are listened to. */
export interface ListenerOptions {
  /**
   * Also gets what was said while a run is under way: what stood there before a `processor-change`, and what a guard took away or
   * blocked; the input of a `run-start`, the prompt of a `model-start`, and `output`. Other events have no more with it. Default:
   * false.
   */
  content?: boolean
}

/** Everybody who listens to an agent. */
export type Listeners = Set<ListenerEntry>

/** Sees an event. It gets a frozen copy, after the fact; what it returns or throws changes nothing. */
export type AgentListener<NAME extends AgentEventName> = (event: AgentEvents[NAME]) => unknown
