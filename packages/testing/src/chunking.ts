import { ScriptError } from './script-error.ts'

/**
 * * Cuts text into the deltas a stream delivers: words with the space after them, or pieces of `chunkSize`
 * characters. Characters are Unicode code points, so no surrogate pair is cut. A list is taken as it is,
 * wherever it cuts.
 */
export function chunksOf(content: string | readonly string[], chunkSize?: number): readonly string[] {
  if (typeof content !== 'string') return content
  if (chunkSize === undefined) return content.match(/\S+\s*|\s+/g) ?? []
  if (!Number.isInteger(chunkSize) || chunkSize < 1) {
    throw new ScriptError(`chunkSize is ${chunkSize}; it must be a whole number of characters, 1 or more.`)
  }
  const characters = Array.from(content)
  const chunks: string[] = []
  for (let start = 0; start < characters.length; start += chunkSize) {
    chunks.push(characters.slice(start, start + chunkSize).join(''))
  }
  return chunks
}
