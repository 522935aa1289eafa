import type { Owner } from './owner.ts'

export interface StreamKey extends Owner {
  runId: string
}

export interface AppendToStreamOptions extends StreamKey {
  /** The thread of the run. Deleting the thread deletes the stream. */
  threadId?: string | undefined
  /** The current number of chunks. 0 creates the stream. */
  offset: number
  /** Each chunk is a string, such as JSON. */
  chunks: readonly string[]
  /** Whether the stream ends. Default: false. */
  end?: boolean | undefined
  /** Time to live in milliseconds, renewed with each call. Default: 24 hours. */
  expiresIn?: number | undefined
}

export interface ReadStreamOptions extends StreamKey {
  /** The first chunk to read, from 0. Default: 0. */
  from?: number | undefined
  /** Maximum number of chunks. Default: 1,000. */
  limit?: number | undefined
}

/** A part of a stream. */
export interface StreamPart {
  /** In order, from the requested offset. */
  chunks: string[]
  /** The current number of chunks. */
  length: number
  ended: boolean
}

export interface StreamLimits {
  /** Maximum size of one stream in bytes of UTF-8. Default: 16 MiB. */
  maxStreamBytes?: number
}

/**
 * Stores the chunks of runs for readers, including those that reconnect or read from another process. A stream
 * belongs to its run's resource. It is deleted with the resource, with its thread, or when it expires.
 */
export interface StreamStore {
  /**
   * Appends chunks. If two callers append at the same offset, one succeeds.
   *
   * @throws MillraceError `STORAGE_CONFLICT` if the stream has another length or has ended,
   *   `STORAGE_STREAM_TOO_LARGE`; then nothing is appended
   */
  appendToStream(options: AppendToStreamOptions): Promise<void>
  /** `undefined` if there is no such stream, or it has expired. */
  readStream(options: ReadStreamOptions): Promise<StreamPart | undefined>
  /** Returns whether it existed. */
  deleteStream(key: StreamKey): Promise<boolean>
}
