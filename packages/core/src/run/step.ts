import type { SharedV4Warning } from '@ai-sdk/provider'
import type { ProviderMetadata } from '../messages/message.ts'
import type { ToolCall, ToolResult, ToolSet } from '../tools/tool.ts'
import { emptyUsage, type Usage } from '../usage.ts'
import type { DiscardedAttempt, FinishReason, StepRequest, StepResponse, StepResult } from './result.ts'

/** A step while it happens: one attempt at it, with the attempts that were rejected before. */
export class Step {
  readonly number: number
  readonly startedAt: number = performance.now()
  readonly discarded: DiscardedAttempt[]
  text = ''
  reasoningText = ''
  /** The text as it was streamed, before hooks that see the whole of it could change it. */
  streamedText = ''
  /** The model's calls, as the processors left them. */
  toolCalls: ToolCall[] = []
  toolResults: ToolResult[] = []
  /** What the tools ran with, by call id, where it differs from the call's own input. */
  readonly executedInputs: Map<string, unknown> = new Map()
  finishReason: FinishReason = 'interrupted'
  usage: Usage = emptyUsage()
  warnings: SharedV4Warning[] = []
  request: StepRequest | undefined
  response: StepResponse = {}
  providerMetadata: ProviderMetadata | undefined
  /** The tools this step may use. */
  tools: ToolSet = {}
  /** A tool's `execute` was called: the step cannot be run again. */
  toolsRan = false
  /** The step has a place in the transcript. */
  wrote = false
  /** Something of this step was emitted: if it is rejected, it must be taken back. */
  emitted = false
  /** A processor wants the loop to go on after this step. */
  continues = false
  #finishedAt: number | undefined

  constructor(number: number, discarded: DiscardedAttempt[]) {
    this.number = number
    this.discarded = discarded
  }

  finish(): void {
    this.#finishedAt = performance.now()
  }

  /** The step as processors and callers see it. `processors` is filled in when the run ends. */
  get result(): StepResult {
    const {
      number,
      text,
      reasoningText,
      toolResults,
      finishReason,
      usage,
      response,
      providerMetadata,
      discarded,
    } = this
    return {
      stepNumber: number,
      text,
      reasoningText,
      toolCalls: this.toolCalls.map((call) => this.#executed(call)),
      toolResults: toolResults.map((result) => this.#executed(result)),
      finishReason,
      usage,
      request: this.request as StepRequest,
      response,
      providerMetadata,
      durationMs: (this.#finishedAt ?? performance.now()) - this.startedAt,
      processors: [],
      discarded: [...discarded],
    }
  }

  #executed<CALL extends ToolCall>(call: CALL): CALL {
    const { toolCallId } = call
    return this.executedInputs.has(toolCallId)
      ? { ...call, input: this.executedInputs.get(toolCallId) }
      : call
  }
}
