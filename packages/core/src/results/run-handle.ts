import type { Usage } from '../usage.ts'
import type { Chunk } from './chunk.ts'
import type { FinishReason, RunStatus } from './outcome.ts'
import type { UIMessageChunk } from './ui-message-chunk.ts'
import type { UIMessageStreamOptions, UIMessageStreamResponseOptions } from './ui-message-stream-options.ts'

/**
 * A run that can be read as a stream, and awaited for its result. Implemented by `ResumedRun`.
 *
 * @typeParam RESULT A `RunResult`, whose fields are promises here
 */
export interface RunHandle<RESULT extends ResultFields> extends Promise<RESULT> {
  readonly fullStream: AsyncIterable<Chunk>
  readonly textStream: AsyncIterable<string>
  toUIMessageStream(options?: UIMessageStreamOptions): ReadableStream<UIMessageChunk>
  toUIMessageStreamResponse(options?: UIMessageStreamResponseOptions): Response
  readonly result: Promise<RESULT>
  readonly runId: Promise<string>
  readonly status: Promise<RunStatus>
  readonly text: Promise<string>
  readonly reasoningText: Promise<string>
  readonly object: Promise<RESULT['object']>
  readonly messages: Promise<RESULT['messages']>
  readonly steps: Promise<RESULT['steps']>
  readonly usage: Promise<Usage>
  readonly finishReason: Promise<FinishReason>
  readonly tripwire: Promise<boolean>
  readonly rejection: Promise<RESULT['rejection']>
  readonly halt: Promise<RESULT['halt']>
  readonly suspension: Promise<RESULT['suspension']>
  readonly abortReason: Promise<RESULT['abortReason']>
  readonly processors: Promise<RESULT['processors']>
  readonly warnings: Promise<RESULT['warnings']>
}

/** The fields of a `RunResult` that determine the type of a handle. */
interface ResultFields {
  object?: unknown
  messages: unknown
  steps: unknown
  rejection?: unknown
  halt?: unknown
  suspension?: unknown
  abortReason?: unknown
  processors: unknown
  warnings: unknown
}
