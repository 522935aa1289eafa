const RESET = '{"type":"reset-step"}'
const STEP = '{"type":"start-step"'

/** What a reset removes from the client's message. */
const CONTENT = /^\{"type":"(?:text|reasoning|tool|file|source|data|custom)\b/

/**
 * The chunks for a reader that gets them late: what was retracted since is left out. A repeated reset stands in for
 * each of these chunks, because readers count them.
 */
export function withoutRetracted(chunks: readonly string[]): readonly string[] {
  if (!chunks.includes(RESET)) return chunks
  const left = [...chunks]
  let begin = 0
  for (const [index, chunk] of chunks.entries()) {
    if (chunk.startsWith(STEP)) begin = index
    if (chunk !== RESET) continue
    for (let place = begin; place < index; place++)
      if (CONTENT.test(left[place] as string)) left[place] = RESET
  }
  return left
}
