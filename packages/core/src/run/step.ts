import type { SharedV4Warning } from '@ai-sdk/provider'
import type { MillraceErrorCode } from '../errors.ts'
import { type Message, type ProviderMetadata, reviveMessage } from '../messages/message.ts'
import type { ModelRequest } from '../model/model-request.ts'
import type { ChunkType, StepFinishChunk } from '../results/chunk.ts'
import type { FinishReason, StepResponse } from '../results/outcome.ts'
import type { DiscardedAttempt, StepRequest, StepResult } from '../results/result.ts'
import type { Answer, Decision } from '../tools/decision.ts'
import { ownTool, type ToolCall, type ToolResult, type ToolSet } from '../tools/tool.ts'
import { addUsage, emptyUsage, reviveUsage, type Usage } from '../usage.ts'
import type { SavedSettings } from './saved-settings.ts'
import type { StepSettings } from './step-settings.ts'

/** A step as it can be stored. */
export type StepSnapshot = Omit<StepState, 'held'> & {
  held: ChunkType[] | null
  executedInputs: [toolCallId: string, input: unknown][]
  toolNames: string[]
  elapsedMs: number
}

/** Everything a step has come to. All of it is JSON but for dates. */
interface StepState {
  number: number
  discarded: DiscardedAttempt[]
  text: string
  reasoningText: string
  /** The text as it was streamed, before hooks that see the whole of it could change it. */
  streamedText: string
  /** The model's calls, as the processors left them. */
  toolCalls: ToolCall[]
  toolResults: ToolResult[]
  /** What is to become of the agent's own calls, in order, as far as that is decided. */
  decisions: Decision[]
  /** The input of a call as processors have left it so far, by call id. */
  inputs: Record<string, unknown>
  /** How the agent's own calls were answered, by call id, as far as they are. */
  answers: Record<string, Answer>
  /** What calls wait for whose tool has suspended, by call id. */
  suspended: Record<string, { payload?: unknown }>
  /** How far such an answer has come through the processors: the name of one that waits with it; `null`: all of them. */
  reviewedAnswers: Record<string, string | null>
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
  /** Messages that processors add after the step to make the loop go on. */
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
  /** Chunks that wait for the step to be accepted, or `undefined` once they are out. */
  held: ChunkType[] | undefined
  /** `step-start` and `step-finish` have been through the stream hooks. */
  started: boolean
  finished: boolean
  /** The `finish` of the run, as the stream hooks left it. It goes out when nothing can stop the run any more. */
  lastChunk: ChunkType | undefined
}

/** A step while it happens: one attempt at it, with the attempts that were rejected before. */
export class Step implements StepState {
  readonly number: number
  readonly discarded: DiscardedAttempt[]
  text = ''
  reasoningText = ''
  streamedText = ''
  toolCalls: ToolCall[] = []
  toolResults: ToolResult[] = []
  decisions: Decision[] = []
  inputs: Record<string, unknown> = byCallId()
  answers: Record<string, Answer> = byCallId()
  suspended: Record<string, { payload?: unknown }> = byCallId()
  reviewedAnswers: Record<string, string | null> = byCallId()
  answered = 0
  finishReason: FinishReason = 'interrupted'
  usage: Usage = emptyUsage()
  warnings: SharedV4Warning[] = []
  request: StepRequest | undefined
  response: StepResponse = {}
  providerMetadata: ProviderMetadata | undefined
  settings: SavedSettings | undefined
  follow: Message[] = []
  toolsRan = false
  wrote = false
  emitted = false
  modelFailures = 0
  modelError: { code: MillraceErrorCode; message: string } | undefined
  end: 'completed' | 'limit' | undefined
  reviewed = false
  held: ChunkType[] | undefined = []
  started = false
  finished = false
  lastChunk: ChunkType | undefined
  /** What the tools ran with, by call id, where it differs from the call's own input. */
  readonly executedInputs: Map<string, unknown> = new Map()
  /** The tools this step may use. */
  tools: ToolSet = {}
  /** What the model call is made from, once its processors were asked. */
  prepared: StepSettings | undefined
  /** The request of this attempt, and what a processor wants in its place for the next. */
  modelRequest: ModelRequest | undefined
  nextRequest: ModelRequest | undefined
  #metadata: ProviderMetadata | undefined
  #isReviewed = false
  #startedAt: number = performance.now()
  #durationMs: number | undefined
  #result: StepResult | undefined

  constructor(number: number, discarded: DiscardedAttempt[] = []) {
    this.number = number
    this.discarded = discarded
  }

  /** A step as it was stored. Tools are found again among `tools`, by name. */
  static restore(snapshot: StepSnapshot, tools: ToolSet): Step {
    const { toolNames, elapsedMs, executedInputs, held, follow, ...rest } = snapshot
    const { inputs, answers, suspended, reviewedAnswers, ...state } = rest
    const step = new Step(state.number)
    Object.assign(step, state)
    step.usage = reviveUsage(state.usage)
    for (const attempt of step.discarded) attempt.usage = reviveUsage(attempt.usage)
    step.held = held ?? undefined
    step.follow = follow.map(reviveMessage)
    Object.assign(step.inputs, inputs)
    Object.assign(step.answers, answers)
    Object.assign(step.suspended, suspended)
    Object.assign(step.reviewedAnswers, reviewedAnswers)
    for (const [toolCallId, input] of executedInputs) step.executedInputs.set(toolCallId, input)
    const { timestamp } = state.response
    if (timestamp !== undefined) step.response = { ...state.response, timestamp: new Date(timestamp) }
    for (const name of toolNames) {
      const tool = ownTool(tools, name)
      if (tool) step.tools[name] = tool
    }
    step.#startedAt = performance.now() - elapsedMs
    return step
  }

  get snapshot(): StepSnapshot {
    const {
      tools,
      executedInputs,
      held = null,
      prepared: _,
      modelRequest: __,
      nextRequest: ___,
      ...state
    } = this
    return {
      ...state,
      held,
      executedInputs: [...executedInputs],
      toolNames: Object.keys(tools),
      elapsedMs: this.#elapsed,
    }
  }

  /** Takes over what is asked of the model: what a processor that answers in its place was asked too. */
  readRequest({ model, toolChoice, modelSettings, tools, prompt }: ModelRequest): void {
    this.tools = toolChoice === 'none' ? {} : tools
    const { provider, modelId } = typeof model === 'string' ? { provider: '', modelId: model } : model
    this.request = {
      provider,
      modelId,
      modelSettings,
      tools: Object.keys(tools),
      toolChoice,
      messageCount: prompt.length,
    }
  }

  /** Takes over what the end of a response says. Of several, as when a call falls back, the usage adds up. */
  readFinish({ finishReason, usage, providerMetadata, response, warnings }: StepFinishChunk): void {
    this.finishReason = finishReason
    this.usage = addUsage(this.usage, usage)
    this.#metadata = providerMetadata
    if (!this.#isReviewed) this.providerMetadata = providerMetadata
    this.response = { ...this.response, ...response }
    if (warnings) this.warnings.push(...warnings)
  }

  /** What its provider says of it is not known, and not stored, before the stream hooks have seen `finishChunk`. */
  review(): void {
    this.#isReviewed = true
  }

  /** The end of the step, for the stream hooks. */
  get finishChunk(): StepFinishChunk {
    const { number: stepNumber, finishReason, usage } = this
    const providerMetadata = this.#metadata ?? this.providerMetadata
    const metadata = providerMetadata ? { providerMetadata } : {}
    return { type: 'step-finish', stepNumber, finishReason, usage, ...metadata }
  }

  finish(): void {
    this.#durationMs ??= this.#elapsed
  }

  /** To be called when something of a finished step was changed. */
  changed(): void {
    this.#result = undefined
  }

  get #elapsed(): number {
    return this.#durationMs ?? performance.now() - this.#startedAt
  }

  /** The step as processors and callers see it. `processors` is filled in when the run ends. */
  get result(): StepResult {
    if (this.#result) return this.#result
    const result = this.#makeResult()
    if (this.#durationMs !== undefined) this.#result = result
    return result
  }

  #makeResult(): StepResult {
    const { text, reasoningText, finishReason, usage, response, providerMetadata } = this
    return {
      stepNumber: this.number,
      text,
      reasoningText,
      toolCalls: this.toolCalls.map((call) => this.#executed(call)),
      toolResults: this.toolResults.map((result) => this.#executed(result)),
      finishReason,
      usage,
      request: this.request as StepRequest,
      response,
      providerMetadata,
      durationMs: this.#elapsed,
      processors: [],
      discarded: [...this.discarded],
    }
  }

  #executed<CALL extends ToolCall>(call: CALL): CALL {
    const { toolCallId } = call
    return this.executedInputs.has(toolCallId)
      ? { ...call, input: this.executedInputs.get(toolCallId) }
      : call
  }
}

/** Without a prototype: call ids come from the model. */
function byCallId<VALUE>(): Record<string, VALUE> {
  return Object.create(null)
}
