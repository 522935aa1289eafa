import { callOptions, type ModelRequest } from '@millrace/core'
import { countTokens } from '@millrace/tokens'
import { identityOf } from './price.ts'

/** The estimate for a file, of which only the provider knows the cost. */
const PER_FILE = 1_600

/**
 * An upper bound for the input tokens of a request: the tokens of its JSON, which is longer than any chat format. Exact
 * encodings if they are public, else an upper estimate. Text files count by their bytes, PDFs by half of their bytes,
 * other files as 1,600 tokens each, about a large image.
 */
export async function requestTokens(request: ModelRequest): Promise<number> {
  const { prompt, tools, responseFormat } = await callOptions(request, new AbortController().signal)
  let files = 0
  const text = JSON.stringify({ prompt, tools, responseFormat }, (_, value: unknown) => {
    if (!isFile(value)) return value
    files += tokensOfFile(value)
    return undefined
  })
  return files + (await countTokens(text, { model: identityOf(request.model).modelId }))
}

interface FilePart {
  readonly mediaType: string
  readonly data?: unknown
}

function isFile(value: unknown): value is FilePart {
  if (typeof value !== 'object' || value === null) return false
  const { type, mediaType } = value as { type?: unknown; mediaType?: unknown }
  return typeof type === 'string' && typeof mediaType === 'string'
}

function tokensOfFile({ mediaType, data }: FilePart): number {
  if (mediaType.startsWith('text')) return Math.max(PER_FILE, bytesIn(data))
  // Providers read the text and the image of a page: up to 3,000 tokens for about 6 kB.
  if (mediaType === 'application/pdf') return Math.max(PER_FILE, Math.ceil(bytesIn(data) / 2))
  return PER_FILE
}

/** The bytes of a file part's data, in whatever form it is. */
function bytesIn(data: unknown): number {
  if (typeof data === 'string') return data.length
  if (ArrayBuffer.isView(data)) return data.byteLength
  if (typeof data !== 'object' || data === null) return 0
  return Math.max(0, ...Object.values(data).map(bytesIn))
}
