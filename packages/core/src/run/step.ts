import type { ProviderMetadata } from '../messages/message.ts'
import type { HistoryRuleName } from '../model/history/history-rules.ts'
import type { ModelRequest } from '../model/model-request.ts'
import type { StepFinishChunk } from '../results/chunk.ts'
import type { StepRequest, StepResult } from '../results/result.ts'
import type { ToolCall, ToolResult, ToolSet } from '../tools/tool.ts'
import { addUsage } from '../usage.ts'
import type { StepSettings } from './step-settings.ts'
import { newStepState, type StepState } from './step-state.ts'

/** One attempt at a step. `state` is what it has produced, and is stored; the other fields are recreated on resume. */
export class Step {
  readonly state: StepState
  /** The tools that this step may use. */
  tools: ToolSet = {}
  /** The settings of the model call, after the processors. */
  prepared: StepSettings | undefined
  /** The request of this attempt, and the request that a processor has set for the next attempt. */
  modelRequest: ModelRequest | undefined
  nextRequest: ModelRequest | undefined
  #metadata: ProviderMetadata | undefined
  #isReviewed = false
  /** The calls that this process has started, by id, and whether the tool has ended. */
  readonly started: Map<string, boolean> = new Map()
  readonly #startedAt: number
  #isOver = false
  #result: StepResult | undefined

  constructor(state: number | StepState) {
    this.state = typeof state === 'number' ? newStepState(state) : state
    this.#startedAt = performance.now() - this.state.elapsedMs
  }

  get number(): number {
    return this.state.number
  }

  /** Reads the step's tools and request data from a model request, also if a processor answers in the model's place. */
  readRequest(
    { model, toolChoice, modelSettings, tools, prompt }: ModelRequest,
    mended: readonly HistoryRuleName[] = [],
  ): void {
    this.tools = toolChoice === 'none' ? {} : tools
    const names = Object.keys(tools)
    this.state.toolNames = toolChoice === 'none' ? [] : names
    const { provider, modelId } = typeof model === 'string' ? { provider: '', modelId: model } : model
    this.state.request = {
      provider,
      modelId,
      modelSettings,
      tools: [...names],
      toolChoice,
      messageCount: prompt.length,
      ...(mended.length > 0 && { mended }),
    }
  }

  /** Reads the data at the end of a response. The usage of several responses, such as of a fallback, is added up. */
  readFinish({ finishReason, usage, providerMetadata, response, warnings }: StepFinishChunk): void {
    const { state } = this
    state.finishReason = finishReason
    state.usage = addUsage(state.usage, usage)
    this.#metadata = providerMetadata
    if (!this.#isReviewed) state.providerMetadata = providerMetadata
    state.response = { ...state.response, ...response }
    if (warnings) state.warnings.push(...warnings)
  }

  /** Hides the provider metadata, which is not stored, until the stream hooks have seen `finishChunk`. */
  review(): void {
    this.#isReviewed = true
  }

  /** The end chunk of the step, for the stream hooks. */
  get finishChunk(): StepFinishChunk {
    const { number: stepNumber, finishReason, usage } = this.state
    const providerMetadata = this.#metadata ?? this.state.providerMetadata
    const metadata = providerMetadata ? { providerMetadata } : {}
    return { type: 'step-finish', stepNumber, finishReason, usage, ...metadata }
  }

  finish(): void {
    this.measure()
    this.#isOver = true
  }

  /** Measures the duration of the step so far. */
  measure(): void {
    if (!this.#isOver) this.state.elapsedMs = performance.now() - this.#startedAt
  }

  /** Call when a finished step was changed. */
  changed(): void {
    this.#result = undefined
  }

  /** The step as processors and callers see it. `processors` is set when the run ends. */
  get result(): StepResult {
    if (this.#result) return this.#result
    this.measure()
    const result = this.#makeResult()
    if (this.#isOver) this.#result = result
    return result
  }

  #makeResult(): StepResult {
    const { state } = this
    return {
      stepNumber: state.number,
      ...(state.agentName !== undefined && { agentName: state.agentName }),
      text: state.text,
      reasoningText: state.reasoningText,
      toolCalls: state.toolCalls.map((call) => this.#executed(call)),
      toolResults: state.toolResults.map((result) => this.#completed(this.#executed(result))),
      finishReason: state.finishReason,
      usage: state.usage,
      request: state.request as StepRequest,
      response: state.response,
      providerMetadata: state.providerMetadata,
      durationMs: state.elapsedMs,
      processors: [],
      discarded: [...state.discarded],
    }
  }

  /** Adds the number of retries, who has decided on the call and, if the tool is an agent, the agent's progress. */
  #completed(result: ToolResult): ToolResult {
    const { retries, agent, decidedBy } = this.state.calls[result.toolCallId] ?? {}
    if (retries === undefined && agent === undefined && decidedBy === undefined) return result
    return {
      ...result,
      ...(retries !== undefined && { retries }),
      ...(decidedBy !== undefined && { decidedBy }),
      ...(agent && { agent }),
    }
  }

  #executed<CALL extends ToolCall>(call: CALL): CALL {
    const { executed } = this.state.calls[call.toolCallId] ?? {}
    return executed ? { ...call, input: executed.input } : call
  }
}
