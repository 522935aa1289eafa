import type { Owner } from './owner.ts'

export interface StreamKey extends Owner {
  runId: string
}

export interface AppendToStreamOptions extends StreamKey {
  /** The thread of the run: its streams are deleted with it. */
  threadId?: string | undefined
  /** How many chunks the stream has. With 0, it begins. */
  offset: number
  /** Each as a text, such as JSON. */
  chunks: readonly string[]
  /** No chunk follows. Default: false. */
  end?: boolean | undefined
  /** Milliseconds from now until the stream is gone, renewed with each call. Default: 24 hours. */
  expiresIn?: number | undefined
}

export interface ReadStreamOptions extends StreamKey {
  /** The first chunk to read, from 0 on. Default: 0. */
  from?: number | undefined
  /** How many chunks at most. Default: 1,000. */
  limit?: number | undefined
}

/** A part of a stream. */
export interface StreamPart {
  /** In order, from the offset that was asked for. */
  chunks: string[]
  /** How many chunks the stream has by now. */
  length: number
  ended: boolean
}

export interface StreamLimits {
  /** Bytes of one stream, in UTF-8. Default: 16 MiB. */
  maxStreamBytes?: number
}

/**
 * Where the chunks of runs are kept until a reader has them, also one that comes back or asks another process. A stream
 * belongs to its run's resource, and is deleted with it, with its thread, or when it expires.
 */
export interface StreamStore {
  /**
   * Adds chunks at the end. Of two who add at the same offset, one does.
   *
   * @throws MillraceError `STORAGE_CONFLICT` if the stream has another length or has ended, `STORAGE_STREAM_TOO_LARGE`;
   * nothing is added then
   */
  appendToStream(options: AppendToStreamOptions): Promise<void>
  /** `undefined` if there is no such stream, or not any more. */
  readStream(options: ReadStreamOptions): Promise<StreamPart | undefined>
  /** Returns whether there was one. */
  deleteStream(key: StreamKey): Promise<boolean>
}
