import type { Chunk } from '../results/chunk.ts'
import type { UIMessageChunk } from '../results/ui-message-chunk.ts'
import type { UIMessageStreamOptions } from '../results/ui-message-stream-options.ts'
import type { Run } from '../run/run.ts'
import { UIChunkMapper } from './ui-chunk-mapper.ts'

/** Returns a function that maps the chunks of one run, in order, to UI chunks. */
export function uiChunks(
  run: Run,
  options: UIMessageStreamOptions,
): (chunk: Chunk | undefined) => UIMessageChunk[] {
  const mapper = new UIChunkMapper(run, options)
  return (chunk) => (chunk ? mapper.map(chunk) : [])
}

/** As {@link uiChunks}, but as server-sent events. */
export function uiEvents(
  run: Run,
  options: UIMessageStreamOptions,
): (chunk: Chunk | undefined) => Uint8Array<ArrayBuffer>[] {
  const mapper = new UIChunkMapper(run, options)
  const encoder = new TextEncoder()
  return (chunk) => {
    const events = chunk ? mapper.map(chunk).map(toJson) : ['[DONE]']
    return events.length === 0 ? [] : [encoder.encode(events.map((data) => `data: ${data}\n\n`).join(''))]
  }
}

/**
 * Serializes a chunk. A tool's output may not be JSON, such as a `bigint`: then the chunk becomes an error, as the
 * model is told.
 */
function toJson(chunk: UIMessageChunk): string {
  try {
    return JSON.stringify(chunk)
  } catch (error) {
    if (chunk.type !== 'tool-output-available') throw error
    const { toolCallId } = chunk
    return JSON.stringify({
      type: 'tool-output-error',
      toolCallId,
      errorText: 'The output cannot be shown.',
    } satisfies UIMessageChunk)
  }
}
