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

/** A call whose outcome is not known. `retry`: it is executed again. */
export interface InterruptedCallState {
  answer: 'open' | 'retry'
  /** It was executed, and what came of it is lost. */
  executed?: true | undefined
  /** What the tool was resumed with, if it had suspended before. `data` as text: see `encodeResumeData`. */
  resumed?: { data?: string | undefined; payload?: unknown }
}

/** Everything a step has produced: all that is stored of it. It is JSON, with dates as strings once it is stored. */
export interface StepState {
  number: number
  discarded: DiscardedAttempt[]
  text: string
  reasoningText: string
  /** The text as it was streamed, before hooks that see the whole of it could change it. */
  streamedText: string
  /** The model's calls, as the processors left them. */
  toolCalls: ToolCall[]
  toolResults: ToolResult[]
  /** The decisions on the agent's own calls, in order, as far as they are made. */
  decisions: Decision[]
  /** The input of a call as processors have left it so far, by call id. */
  inputs: Record<string, unknown>
  /** How the agent's own calls were answered, by call id, as far as they are. */
  answers: Record<string, Answer>
  /** What calls wait for whose tool has suspended, by call id. */
  suspended: Record<string, { payload?: unknown }>
  /** Calls that were started and may have been executed: open until the run is told what became of them. */
  interrupted: Record<string, InterruptedCallState>
  /** How far such an answer has come through the processors: the name of one that waits with it; `null`: all of them. */
  reviewedAnswers: Record<string, string | null>
  /** How many of the calls have ended, as the journal counts them. Default: 0. */
  endedCalls?: number
  /** How many of those answers have gone through the processors and into the transcript. */
  answered: number
  finishReason: FinishReason
  usage: Usage
  warnings: SharedV4Warning[]
  request: StepRequest | undefined
  response: StepResponse
  providerMetadata: ProviderMetadata | undefined
  /** What the model call is made from, as far as processors have changed it. */
  settings: SavedSettings | undefined
  /** Messages that processors add after the step, so that another one follows. */
  follow: Message[]
  /** A tool's `execute` was called: the step cannot be run again. */
  toolsRan: boolean
  /** The step has a place in the transcript. */
  wrote: boolean
  /** Something of this step was emitted: if it is rejected, it must be taken back. */
  emitted: boolean
  /** Failures of the model call that a processor has answered with another attempt. */
  modelFailures: number
  /** The failure processors are being asked about. */
  modelError: { code: MillraceErrorCode; message: string } | undefined
  /** How the run ends with this step, once that is certain. */
  end: 'completed' | 'limit' | undefined
  /** The response has been reviewed: it stands in the transcript, whatever happens to its calls. */
  reviewed: boolean
  /** Chunks that wait for the step to be accepted; `null` once they are out. */
  held: Chunk[] | null
  /** `step-start` and `step-finish` have been through the stream hooks. */
  started: boolean
  finished: boolean
  /** The `finish` of the run, as the stream hooks left it. It goes out when nothing can stop the run any more. */
  lastChunk: Chunk | undefined
  /** What the tools ran with, where that differs from the call's own input. */
  executedInputs: [toolCallId: string, input: unknown][]
  /** How often calls were executed again after a failure, by call id. */
  toolRetries: Record<string, number>
  /** The call that hands the turn off to another agent. */
  handoff: string | undefined
  /** The agent that has said what is in this step, where the turn is handed off to it. */
  agentName: string | undefined
  /** What agents that were called as tools have done, by call id, as the processors left it. */
  agents: Record<string, AgentProgress>
  /** The tools this step may use. */
  toolNames: string[]
  /** How long the step took, when that was last determined. */
  elapsedMs: number
}

/** A step of which nothing has happened. */
export function newStepState(number: number, discarded: DiscardedAttempt[] = []): StepState {
  return {
    number,
    discarded,
    text: '',
    reasoningText: '',
    streamedText: '',
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

/** Without a prototype: call ids come from the model. */
function byCallId<VALUE>(): Record<string, VALUE> {
  return Object.create(null)
}
