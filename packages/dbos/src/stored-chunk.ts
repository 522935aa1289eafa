import { type Chunk, MillraceError, type MillraceErrorCode } from '@millrace/core'

/** An error as it is stored. */
export interface StoredError {
  code: MillraceErrorCode
  message: string
}

/** What is stored of an error: of others than Millrace's own, the text. */
export function storedError(error: unknown): StoredError {
  if (MillraceError.isInstance(error)) return { code: error.code, message: error.message }
  return { code: 'RUN_FAILED', message: error instanceof Error ? error.message : String(error) }
}

export function revivedError({ code, message }: StoredError): MillraceError {
  return new MillraceError(code, message)
}

/** A chunk as it is stored: without objects that are not data. */
export function storedChunk(chunk: Chunk): Chunk {
  switch (chunk.type) {
    case 'error':
      return { ...chunk, error: storedError(chunk.error) }
    case 'abort':
      return { ...chunk, reason: storedError(chunk.reason).message }
    default:
      return chunk
  }
}

export function revivedChunk(chunk: Chunk): Chunk {
  return chunk.type === 'error' ? { ...chunk, error: revivedError(chunk.error as StoredError) } : chunk
}
