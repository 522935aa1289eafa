import type { LanguageModel } from '../model/language-model.ts'
import type { RequestContext } from '../request-context.ts'
import type { DataChunk } from '../results/chunk.ts'
import type { HaltOptions } from '../signals.ts'
import type { CounterStore } from '../storage/counter-store.ts'
import type { TracingContext } from '../tracing-context.ts'
import type { Usage } from '../usage.ts'

/** What a hook may answer with: a value, or a promise of it. */
export type MaybePromise<T> = T | Promise<T>

/** What every hook gets. */
export interface ProcessorArgs {
  /** This processor's own, for this run: shared by its hooks only. */
  state: Record<string, unknown>
  requestContext: RequestContext
  tracingContext: TracingContext
  /** Fires when the run is aborted. A hook that waits for something should pass it on. */
  abortSignal: AbortSignal
  /** Writes application data into the stream. */
  writer: ChunkWriter
  /** How often processors have asked for a retry in this run. */
  retryCount: number
  /**
   * Where what is to outlive the process is counted: the agent's storage, or else that of its memory. `undefined` where
   * neither lasts, or neither counts.
   */
  counters: CounterStore | undefined
  /**
   * Goes on with work after the hook: nothing of the run waits for it, `agent.close()` does. Where it fails, the run and
   * its result stay as they are, and listeners to `background-error` hear of it. It outlives the run, so it should not
   * depend on `abortSignal`.
   */
  waitUntil: (work: PromiseLike<unknown>) => void
  /**
   * Counts a call of a model that this processor made by itself. It shows in the processor's record in `result.processors`
   * and `steps[n].processors`, not in the `usage` of the run.
   */
  reportUsage: (report: UsageReport) => void
}

/** One call of a model, made by a processor. */
export interface UsageReport {
  /** The model, or its id. */
  model: LanguageModel
  /** As `result.usage` of an agent, or that of the AI SDK. Default: nothing known but the call. */
  usage?: Usage
}

/** What every hook gets that can stop the run. */
export interface ControlArgs extends ProcessorArgs {
  /** Ends the run with `status: 'tripwire'`. It throws, so nothing after it runs. */
  abort: Abort
  /** Ends the run with `status: 'halted'` and this answer. It throws, so nothing after it runs. */
  halt: (response?: string, options?: HaltOptions) => never
}

/** What every hook gets that can also interrupt the run. */
export interface SuspendArgs extends ControlArgs {
  /**
   * Ends the run with `status: 'suspended'`. When it is resumed, this hook is called again from its top, with
   * `resumeData`. The payload must be JSON. It throws, so nothing after it runs.
   */
  suspend: (payload?: unknown) => never
  /** What the run was resumed with, in the call that had suspended; `undefined` in all others. */
  resumeData: unknown
}

/**
 * Writes `data-*` chunks to the caller. They are not checked by processors and not stored, and their `data` is passed on as
 * it is: it should be JSON, and is not made so.
 */
export interface ChunkWriter {
  /** Resolves when the reader has room for more; in `processDelivery`, which its chunk waits for, at once. */
  write(chunk: DataChunk): Promise<void>
}

/** Ends the run with `status: 'tripwire'`. It throws, so nothing after it runs. */
export type Abort = (reason?: string, options?: { metadata?: unknown }) => never

/** As {@link Abort}; with `retry: true` the step is discarded and runs again, with the reason as feedback. */
export type AbortOrRetry = (reason?: string, options?: { retry?: boolean; metadata?: unknown }) => never
