import type { Chunk } from './chunk.ts'
import type { UIMessageChunk } from './ui-message-chunk.ts'

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
  /**
   * Called before the first chunk where the stream continues a message that the client has, as that of a resumed run does. The
   * chunks are for a client that has lost the message: they take the place of the `start`, and the others follow.
   */
  onContinue?: (opening: UIMessageChunk[]) => void
  /** The message's `metadata`: asked for at `start`, at every `step-finish` and at the run's end, and merged. */
  messageMetadata?: (options: { part: Chunk }) => unknown
}

export interface UIMessageStreamResponseOptions extends UIMessageStreamOptions {
  /** The status of the response. Default: 200. */
  status?: number
  /** The text of the status. */
  statusText?: string
  /** Headers of the response. They go before those of the protocol. */
  headers?: Headers | Record<string, string>
}
