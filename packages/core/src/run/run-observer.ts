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

/** The end of a run, for its observers. */
export type RunOutcome = { result: RunResult; error?: undefined } | { result?: undefined; error: unknown }

/** Executes a tool through an observer, which gets the answer. */
type ExecuteTool = (
  step: Step,
  call: ToolCall,
  execute: () => Promise<Answer | Suspend>,
) => Promise<Answer | Suspend>

/** Collects emitted chunks, while there are listeners for them. */
export interface ChunkLog {
  add(chunk: Chunk): void
}

/** Observes the steps and tools of one run. Implemented in `events/`, for the agent's listeners. */
export interface RunObserver {
  /** Set if a listener requested changes. */
  readonly changes: ChangeLog | undefined
  /** Set if a listener requested decisions. */
  readonly decisions: DecisionLog | undefined
  /** Set if a listener requested emitted chunks. */
  readonly output: ChunkLog | undefined
  start(): void
  /** Called before the model is called, for the first time or again. */
  startChat(step: Step, request: ModelRequest): void
  finishStep(step: Step): void
  executeTool: ExecuteTool
  /** The last call: the run has ended. */
  end(outcome: RunOutcome): void
}

/** Observes one run for OpenTelemetry, with spans, metrics, or both. Implemented in `tracing/`. */
export interface RunTracer {
  /** Runs `work` with the run's span as the active span. */
  within<T>(work: () => T): T
  /** Starts the span of one model call, including its retries. `tools`: as sent to the provider. */
  startChat(step: Step, request: ModelRequest, tools: ToolDefinitions): ChatSpan
  executeTool: ExecuteTool
  /** The last call: the run has ended. All its spans end. */
  end(outcome: RunOutcome): void
}

/** The tools of a model call, as sent to the provider. */
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
  /** Call before processors review the answer: what they change of its emitted part is told to readers. */
  watch(options?: WatchOptions): void
  /** Emits `response-replaced` if processors have changed what was emitted. Never throws. */
  tell(): Promise<void> | undefined
  /** Emits the chunks that were held until the step was reviewed. */
  release(): Promise<void> | undefined
  /** Adds a chunk after those that were held or emitted. */
  enqueue(chunk: Chunk): Promise<void> | undefined
  /** Ends the step: no chunk follows. */
  finish(): Promise<void> | undefined
  /** Removes the step from the transcript and, if any chunk of it was emitted, emits `step-discarded`. */
  discard(options: DiscardOptions): Promise<void>
  /** The step as far as it was emitted, if the run is cut short. `undefined` if nothing was emitted. */
  settle(): Step | undefined
  /** The emitted parts of a response that failed. They were removed from the transcript. */
  readonly retracted: readonly MessagePart[]
  /** Whether the model's response is complete. */
  readonly hasResponse: boolean
}

export interface WatchOptions {
  /** Whether the whole answer is reviewed. Default: false, a step. */
  isEnd?: boolean
}

export interface DiscardOptions {
  /** Whether another attempt at the step follows. */
  retry: boolean
  reason?: string | undefined
  processorId?: string | undefined
}

/** Delivers chunks to the caller. Implemented in `loop/end/`, for runs with `processDelivery`. */
export interface ChunkSink {
  /** Never throws. Returns a promise only if the caller must wait. */
  emit(chunk: Chunk): Promise<void> | undefined
}
