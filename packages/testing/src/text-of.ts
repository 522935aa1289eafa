/** The fields that `textOf` uses. Millrace's chunks, a model's stream parts and the AI SDK's parts have them. */
export interface ChunkLike {
  readonly type: string
}

/** The text of a list of chunks: its joined `text-delta`s, without the text of steps that `step-discarded` retracted. */
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

/** The delta is `textDelta` in Millrace, `delta` in a model's stream and `text` in the AI SDK. */
function deltaOf(chunk: ChunkLike): string {
  const { textDelta, delta, text } = chunk as { textDelta?: unknown; delta?: unknown; text?: unknown }
  return [textDelta, delta, text].find((field) => typeof field === 'string') ?? ''
}
