import type { Chunk } from './chunk.ts'

export interface UIMessageStreamOptions {
  /** Whether the client gets the model's reasoning. Default: true. */
  sendReasoning?: boolean
  /** Whether the client gets the sources the model cites. Default: true. */
  sendSources?: boolean
  /** Whether `data-tripwire` and `data-halt` carry the processor's `metadata`. Default: false. */
  sendProcessorMetadata?: boolean
  /**
   * What the client is told about a fault. The error may hold internals: choose what to say by its `code`.
   * Default: `An error occurred.`
   */
  onError?: (error: unknown) => string
  /**
   * Whether `onError` also says what the client is told about a failed tool call. Default: false, the client gets the
   * text the model gets.
   */
  redactToolErrors?: boolean
  /** The message's `metadata`: asked for at `start`, at every `step-finish` and at the run's end, and merged. */
  messageMetadata?: (options: { part: Chunk }) => unknown
}

export interface UIMessageStreamResponseOptions extends UIMessageStreamOptions {
  /** Default: 200. */
  status?: number
  statusText?: string
  /** They go before those of the protocol. */
  headers?: Headers | Record<string, string>
}
