import type { SharedV4Warning } from '@ai-sdk/provider'
import type { MillraceErrorCode } from '../errors.ts'
import type { Message, ProviderMetadata } from '../messages/message.ts'
import type { Chunk } from '../results/chunk.ts'
import type { FinishReason, StepResponse } from '../results/outcome.ts'
import type { DiscardedAttempt, StepRequest } from '../results/result.ts'
import type { AgentProgress } from '../tools/agent-progress.ts'
import type { Answer, Decision } from '../tools/decision.ts'
import type { ToolCall, ToolResult } from '../tools/tool.ts'
import { emptyUsage, type Usage } from '../usage.ts'
import type { SavedSettings } from './saved-settings.ts'

/** A call whose outcome is unknown. `retry`: it is executed again. */
export interface InterruptedCallState {
  answer: 'open' | 'retry'
  /** Set if the call was executed and its output was lost. */
  executed?: true | undefined
  /** The data that the tool was resumed with, if it had suspended before. `data` as text: see `encodeResumeData`. */
  resumed?: { data?: string | undefined; payload?: unknown }
}

/** The stored part of a step: everything it has produced. JSON; a stored state has dates as strings. */
export interface StepState {
  number: number
  discarded: DiscardedAttempt[]
  text: string
  reasoningText: string
  /** The model's calls after the processors. */
  toolCalls: ToolCall[]
  toolResults: ToolResult[]
  /** The decisions on the agent's own calls that were made so far, in order. */
  decisions: Decision[]
  /** The input of a call after the processors so far, by call id. */
  inputs: Record<string, unknown>
  /** The answers of the agent's own calls so far, by call id. */
  answers: Record<string, Answer>
  /** The payloads of tools that have suspended, by call id. */
  suspended: Record<string, { payload?: unknown }>
  /** Calls that were started and may have been executed. `open` until the run is resumed with their outcome. */
  interrupted: Record<string, InterruptedCallState>
  /**
   * The review of an answer, by call id: the name of the processor that has suspended on it; `null` if all have
   * reviewed it.
   */
  reviewedAnswers: Record<string, string | null>
  /** The number of calls that have ended, for the order in the journal. Default: 0. */
  endedCalls?: number
  /** The number of answers that have passed the processors and are in the transcript. */
  answered: number
  finishReason: FinishReason
  usage: Usage
  warnings: SharedV4Warning[]
  request: StepRequest | undefined
  response: StepResponse
  providerMetadata: ProviderMetadata | undefined
  /** The changes of processors to the settings of the model call. */
  settings: SavedSettings | undefined
  /** Messages that processors add after the step, so that another step follows. */
  follow: Message[]
  /** Whether a tool's `execute` was called. If so, the step cannot be repeated. */
  toolsRan: boolean
  /** Whether the step has written to the transcript. */
  wrote: boolean
  /** Whether a chunk of this step was emitted. If so, a rejected step must be discarded for the reader. */
  emitted: boolean
  /** The number of failed model calls that a processor has retried. */
  modelFailures: number
  /** The failure that `processModelError` is being called for. */
  modelError: { code: MillraceErrorCode; message: string } | undefined
  /** How the run ends with this step, once decided. */
  end: 'completed' | 'limit' | undefined
  /** Whether the response was reviewed. If so, it stays in the transcript whatever happens to its calls. */
  reviewed: boolean
  /** Chunks that are held until the step is accepted; `null` after they were emitted. */
  held: Chunk[] | null
  /** Whether `step-start` and `step-finish` have passed the stream hooks. */
  started: boolean
  finished: boolean
  /** The run's `finish` chunk after the stream hooks. Emitted when nothing can stop the run any more. */
  lastChunk: Chunk | undefined
  /** The inputs of tools, where they differ from the input of the call. */
  executedInputs: [toolCallId: string, input: unknown][]
  /** The number of retries of failed calls, by call id. */
  toolRetries: Record<string, number>
  /** The call that hands off the turn to another agent. */
  handoff: string | undefined
  /** The agent that this step relays, while the turn is handed off. */
  agentName: string | undefined
  /** The progress of agents that were called as tools, after the processors, by call id. */
  agents: Record<string, AgentProgress>
  /** The names of the tools that this step may use. */
  toolNames: string[]
  /** The duration of the step in milliseconds, when it was last measured. */
  elapsedMs: number
}

/** The state of a new step. */
export function newStepState(number: number, discarded: DiscardedAttempt[] = []): StepState {
  return {
    number,
    discarded,
    text: '',
    reasoningText: '',
    toolCalls: [],
    toolResults: [],
    decisions: [],
    inputs: byCallId(),
    answers: byCallId(),
    suspended: byCallId(),
    interrupted: byCallId(),
    reviewedAnswers: byCallId(),
    answered: 0,
    finishReason: 'interrupted',
    usage: emptyUsage(),
    warnings: [],
    request: undefined,
    response: {},
    providerMetadata: undefined,
    settings: undefined,
    follow: [],
    toolsRan: false,
    wrote: false,
    emitted: false,
    modelFailures: 0,
    modelError: undefined,
    end: undefined,
    reviewed: false,
    held: [],
    started: false,
    finished: false,
    lastChunk: undefined,
    executedInputs: [],
    toolRetries: byCallId(),
    handoff: undefined,
    agentName: undefined,
    agents: byCallId(),
    toolNames: [],
    elapsedMs: 0,
  }
}

/** V8 stores an object with the prototype `null` as a hash table, which takes five times the memory. */
const NOTHING = Object.create(null)

/** A record that inherits nothing, because call ids come from the model. */
function byCallId<VALUE>(): Record<string, VALUE> {
  return Object.create(NOTHING)
}
