import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { Attributes } from '@opentelemetry/api'
import type { MessagePart } from '../messages/message.ts'
import type { ModelRequest } from '../model/model-request.ts'
import type { ChangeLog, DecisionLog } from '../processors/change-log.ts'
import type { Chunk, StepFinishChunk } from '../results/chunk.ts'
import type { RunResult } from '../results/result.ts'
import type { Suspend } from '../signals.ts'
import type { Answer } from '../tools/decision.ts'
import type { ToolCall } from '../tools/tool.ts'
import type { Step } from './step.ts'

/** How a run ended, for its observers. */
export type RunOutcome = { result: RunResult; error?: undefined } | { result?: undefined; error: unknown }

/** Executes a tool on behalf of an observer, which sees the answer. */
type ExecuteTool = (
  step: Step,
  call: ToolCall,
  execute: () => Promise<Answer | Suspend>,
) => Promise<Answer | Suspend>

/** Where chunks are noted on their way to the caller, while there are listeners for them. */
export interface ChunkLog {
  add(chunk: Chunk): void
}

/** Observes the steps and tools of one run. Implemented in `events/`, for the agent's listeners. */
export interface RunObserver {
  /** Where a listener asked for changes. */
  readonly changes: ChangeLog | undefined
  /** Where a listener asked for decisions. */
  readonly decisions: DecisionLog | undefined
  /** Where a listener asked for what is emitted. */
  readonly output: ChunkLog | undefined
  start(): void
  /** The model is about to be called, for the first time or again. */
  startChat(step: Step, request: ModelRequest): void
  finishStep(step: Step): void
  executeTool: ExecuteTool
  /** The run has ended: the last call. */
  end(outcome: RunOutcome): void
}

/** Observes one run for OpenTelemetry, as spans, as metrics, or both. Implemented in `tracing/`. */
export interface RunTracer {
  /** Runs `work` so that spans which begin in it are children of the run's span. */
  within<T>(work: () => T): T
  /** Begins the span of one model call, its retries included. `tools`: as the provider gets them. */
  startChat(step: Step, request: ModelRequest, tools: ToolDefinitions): ChatSpan
  executeTool: ExecuteTool
  /** The run has ended: all spans end with it. */
  end(outcome: RunOutcome): void
}

/** The tools of a model call, as the provider gets them. */
export type ToolDefinitions = LanguageModelV4CallOptions['tools']

/** The span of one model call. It ends once; later calls have no effect. */
export interface ChatSpan {
  within<T>(work: () => Promise<T>): Promise<T>
  finish(response: StepFinishChunk): void
  end(attributes?: Attributes): void
  fail(error: unknown): void
}

/** The output of the current step. Implemented in `loop/output/`. */
export interface OpenOutput {
  /** Emits what was held until the step was reviewed. */
  release(): Promise<void> | undefined
  /** Adds a chunk behind those that are held or emitted. */
  enqueue(chunk: Chunk): Promise<void> | undefined
  /** The step is complete: no chunk follows. */
  finish(): Promise<void> | undefined
  /** Takes the step out of the transcript and, where it was emitted, back from the reader. */
  discard(options: DiscardOptions): Promise<void>
  /** The step as far as it went when the run was cut short; `undefined` where nothing had been emitted. */
  settle(): Step | undefined
  /** What had been emitted of a response that failed: it is out of the transcript. */
  readonly retracted: readonly MessagePart[]
  /** The model's response is complete. */
  readonly hasResponse: boolean
}

export interface DiscardOptions {
  /** Whether another attempt at the step follows. */
  retry: boolean
  reason?: string | undefined
  processorId?: string | undefined
}

/** Delivers chunks to the caller. Implemented in `loop/end/`, for runs with `processDelivery`. */
export interface ChunkSink {
  /** Never throws. Returns a promise only where something must wait. */
  emit(chunk: Chunk): Promise<void> | undefined
}
