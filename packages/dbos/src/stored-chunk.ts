import { type Chunk, type Message, MillraceError, type MillraceErrorCode } from '@millrace/core'

/** An error as it is stored. */
export interface StoredError {
  code: MillraceErrorCode
  message: string
}

/** The stored form of an error. Of errors that are not Millrace's own, only the text is stored. */
export function storedError(error: unknown): StoredError {
  if (MillraceError.isInstance(error)) return { code: error.code, message: error.message }
  return { code: 'RUN_FAILED', message: error instanceof Error ? error.message : String(error) }
}

export function revivedError({ code, message }: StoredError): MillraceError {
  return new MillraceError(code, message)
}

/** Chunks as JSON text. */
export function storedChunks(chunks: readonly Chunk[]): string {
  return JSON.stringify(chunks.map(storedChunk))
}

export function revivedChunks(text: string): Chunk[] {
  return (JSON.parse(text) as Chunk[]).map(revivedChunk)
}

function storedChunk(chunk: Chunk): Chunk {
  switch (chunk.type) {
    case 'error':
      return { ...chunk, error: storedError(chunk.error) }
    case 'abort':
      return { ...chunk, reason: storedError(chunk.reason) }
    default:
      return chunk
  }
}

function revivedChunk(chunk: Chunk): Chunk {
  switch (chunk.type) {
    case 'error':
      return { ...chunk, error: revivedError(chunk.error as StoredError) }
    case 'abort':
      return { ...chunk, reason: revivedError(chunk.reason as StoredError) }
    case 'response-replaced':
      return { ...chunk, messages: chunk.messages.map(revivedMessage) }
    default:
      return chunk
  }
}

export function revivedMessage(message: Message): Message {
  return { ...message, createdAt: new Date(message.createdAt) }
}
