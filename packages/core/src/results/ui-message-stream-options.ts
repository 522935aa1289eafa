import type { OptionNames } from '../option-names.ts'
import type { Chunk } from './chunk.ts'
import type { UIMessageChunk } from './ui-message-chunk.ts'

export interface UIMessageStreamOptions {
  /** Whether the model's reasoning is sent. Default: true. */
  sendReasoning?: boolean
  /** Whether the sources that the model cites are sent. Default: true. */
  sendSources?: boolean
  /** Whether `data-tripwire` and `data-halt` contain the processor's `metadata`. Default: false. */
  sendProcessorMetadata?: boolean
  /**
   * Returns the error text for the client. The error may contain internal data: decide by its `code`. Default: `An
   * error occurred.`
   */
  onError?: (error: unknown) => string
  /**
   * Whether `onError` is also called for failed tool calls. Default: false, the client receives the text that the
   * model receives.
   */
  redactToolErrors?: boolean
  /**
   * Called before the first chunk if the stream continues a message that the client has, as a resumed run does. Send
   * the chunks to a client that has lost the message: they replace the `start` chunk.
   */
  onContinue?: (opening: UIMessageChunk[]) => void
  /**
   * Returns the message's `metadata`. Called at `start`, at every `step-finish` and at the end of the run; the
   * results are merged.
   */
  messageMetadata?: (options: { part: Chunk }) => unknown
}

export const UI_STREAM_OPTIONS: OptionNames<UIMessageStreamOptions> = {
  sendReasoning: 'optional',
  sendSources: 'optional',
  sendProcessorMetadata: 'optional',
  onError: 'optional',
  redactToolErrors: 'optional',
  onContinue: 'optional',
  messageMetadata: 'optional',
}

export interface UIMessageStreamResponseOptions extends UIMessageStreamOptions {
  /** HTTP status of the response. Default: 200. */
  status?: number
  /** Status text of the response. */
  statusText?: string
  /** Headers of the response. They override those of the protocol. */
  headers?: Headers | Record<string, string>
}

export const UI_RESPONSE_OPTIONS: OptionNames<UIMessageStreamResponseOptions> = {
  ...UI_STREAM_OPTIONS,
  status: 'optional',
  statusText: 'optional',
  headers: 'optional',
}
