import type { SharedV4Warning } from '@ai-sdk/provider'
import type { MillraceErrorCode } from '../errors.ts'
import type { Message, ProviderMetadata } from '../messages/message.ts'
import type { Chunk } from '../results/chunk.ts'
import type { FinishReason, StepResponse } from '../results/outcome.ts'
import type { DiscardedAttempt, StepRequest } from '../results/result.ts'
import type { ToolCall, ToolResult } from '../tools/tool.ts'
import { emptyUsage, type Usage } from '../usage.ts'
import type { CallRecords } from './call-record.ts'
import type { SavedSettings } from './saved-settings.ts'

/** The stored part of a step: everything it has produced. JSON; a stored state has dates as strings. */
export interface StepState {
  number: number
  discarded: DiscardedAttempt[]
  text: string
  reasoningText: string
  /** The model's calls after the processors. */
  toolCalls: ToolCall[]
  toolResults: ToolResult[]
  /** What has happened to the agent's own calls so far. */
  calls: CallRecords
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
  /** The call that hands off the turn to another agent. */
  handoff: string | undefined
  /** The agent that this step relays, while the turn is handed off. */
  agentName: string | undefined
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
    // Inherits nothing, because call ids come from the model.
    calls: Object.create(NOTHING),
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
    handoff: undefined,
    agentName: undefined,
    toolNames: [],
    elapsedMs: 0,
  }
}

/** V8 stores an object with the prototype `null` as a hash table, which takes five times the memory. */
const NOTHING = Object.create(null)
