import { ScriptError } from './script-error.ts'

/**
 * Splits text into deltas: words with the space after them, or pieces of `chunkSize` Unicode code points, so that no
 * surrogate pair is split. A list is returned unchanged, wherever it splits.
 */
export function chunksOf(content: string | readonly string[], chunkSize?: number): readonly string[] {
  if (typeof content !== 'string') return content
  if (chunkSize === undefined) return content.match(/\S+\s*|\s+/g) ?? []
  if (!Number.isInteger(chunkSize) || chunkSize < 1) {
    throw new ScriptError(`chunkSize is ${chunkSize}. Use an integer of at least 1.`)
  }
  const characters = Array.from(content)
  const chunks: string[] = []
  for (let start = 0; start < characters.length; start += chunkSize) {
    chunks.push(characters.slice(start, start + chunkSize).join(''))
  }
  return chunks
}
