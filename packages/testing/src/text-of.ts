/**
 * What `textOf` needs of a chunk: Millrace's chunks, a model's stream parts and the AI SDK's parts all have
 * it.
 */
export interface ChunkLike {
  readonly type: string
}

/**
 * * The text that a list of chunks delivers: its `text-delta`s joined, without those of a step that a
 * `step-discarded` chunk took back.
 */
export function textOf(chunks: readonly ChunkLike[]): string {
  let accepted = ''
  let step = ''
  for (const chunk of chunks) {
    if (chunk.type === 'text-delta') step += deltaOf(chunk)
    if (chunk.type === 'step-discarded') step = ''
    if (chunk.type === 'step-start') {
      accepted += step
      step = ''
    }
  }
  return accepted + step
}

/** A delta is `textDelta` in Millrace, `delta` in a model's stream, `text` in the AI SDK's. */
function deltaOf(chunk: ChunkLike): string {
  const { textDelta, delta, text } = chunk as { textDelta?: unknown; delta?: unknown; text?: unknown }
  return [textDelta, delta, text].find((field) => typeof field === 'string') ?? ''
}
