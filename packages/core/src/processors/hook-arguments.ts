import type { LanguageModel } from '../model/language-model.ts'
import type { RequestContext } from '../request-context.ts'
import type { DataChunk } from '../results/chunk.ts'
import type { HaltOptions } from '../signals.ts'
import type { CounterStore } from '../storage/counter-store.ts'
import type { TracingContext } from '../tracing-context.ts'
import type { Usage } from '../usage.ts'

/** The return value of a hook, synchronous or not. */
export type MaybePromise<T> = T | Promise<T>

/** Arguments of every hook. */
export interface ProcessorArgs {
  /** State of this processor in this run, shared by its hooks. */
  state: Record<string, unknown>
  requestContext: RequestContext
  tracingContext: TracingContext
  /** Aborted when the run is aborted. Pass it on to whatever the hook waits for. */
  abortSignal: AbortSignal
  /** Writes application data into the stream. */
  writer: ChunkWriter
  /** How often processors have requested a retry in this run. */
  retryCount: number
  /**
   * Persistent counters: those of the agent's storage, or else of its memory's storage. `undefined` if there is no
   * storage, or it has no counters.
   */
  counters: CounterStore | undefined
  /**
   * Continues work in the background after the hook returns. The run does not wait for it; `agent.close()` does. An
   * error does not affect the run; it is emitted as the event `background-error`. The work outlives the run, so it
   * should not depend on `abortSignal`.
   */
  waitUntil: (work: PromiseLike<unknown>) => void
  /**
   * Reports a model call that this processor made itself. It is added to the processor's record in
   * `result.processors` and `steps[n].processors`, not to the `usage` of the run.
   */
  reportUsage: (report: UsageReport) => void
}

/** A model call that a processor made itself. */
export interface UsageReport {
  /** The model, or its id. */
  model: LanguageModel
  /** As `result.usage` of an agent or of the AI SDK. Default: unknown; only the call is counted. */
  usage?: Usage
}

/** Arguments of hooks that can end the run. */
export interface ControlArgs extends ProcessorArgs {
  /** Ends the run with `status: 'tripwire'`. Throws, so later code does not run. */
  abort: Abort
  /** Ends the run with `status: 'halted'` and this answer. Throws, so later code does not run. */
  halt: (response?: string, options?: HaltOptions) => never
}

/** Arguments of hooks that can also suspend the run. */
export interface SuspendArgs extends ControlArgs {
  /**
   * Ends the run with `status: 'suspended'`. When the run is resumed, this hook is called again from its start, with
   * `resumeData`. The payload must be JSON. Throws, so later code does not run.
   */
  suspend: (payload?: unknown) => never
  /** The data that the run was resumed with, in the call of the hook that had suspended; otherwise `undefined`. */
  resumeData: unknown
}

/**
 * Writes `data-*` chunks to the caller. They do not pass the processors and are not stored. `data` should be JSON; it
 * is passed on unchanged and not validated.
 */
export interface ChunkWriter {
  /**
   * Resolves when the reader can take more. In `processDelivery` it resolves at once, because its chunk waits for the
   * hook.
   */
  write(chunk: DataChunk): Promise<void>
}

/** Ends the run with `status: 'tripwire'`. Throws, so later code does not run. */
export type Abort = (reason?: string, options?: { metadata?: unknown }) => never

/**
 * As {@link Abort}. With `retry: true` the step is discarded and runs again, with the reason as feedback to the
 * model.
 */
export type AbortOrRetry = (reason?: string, options?: { retry?: boolean; metadata?: unknown }) => never
