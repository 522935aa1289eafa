import { MillraceError } from '@millrace/core'

/** Where an export is read from: text or bytes, in chunks of any size. */
export type ExportSource = Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>

/** Maximum length of a line in characters. A file of 16 MiB fits as Base64. */
const MAX_LINE_LENGTH = 64 * 1024 * 1024

/** Splits chunked text into lines. Skips blank lines. */
export async function* linesOf(source: ExportSource): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let pieces: string[] = []
  let length = 0
  for await (const piece of source) {
    const text = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
    let start = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      pieces.push(text.slice(start, end))
      const line = pieces.join('')
      if (line.trim() !== '') yield line
      pieces = []
      length = 0
      start = end + 1
    }
    pieces.push(text.slice(start))
    length += text.length - start
    if (length > MAX_LINE_LENGTH)
      throw invalidExport(`it has a line of more than ${MAX_LINE_LENGTH} characters`)
  }
  const rest = pieces.join('') + decoder.decode()
  if (rest.trim() !== '') yield rest
}

export function invalidExport(why: string, cause?: unknown): MillraceError {
  return new MillraceError(
    'STORAGE_INPUT_INVALID',
    `The data is not a complete export of a resource: ${why}. Nothing was imported.`,
    { cause },
  )
}
