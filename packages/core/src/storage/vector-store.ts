import type { Owner } from './owner.ts'
import type { SaveVectorsOptions, Vector } from './search-store.ts'
import type { ThreadKey } from './thread-store.ts'
import type { VectorSource } from './vector-source.ts'

/** Which vectors are compared, with what. */
export interface VectorQuery extends Owner {
  /** Only this thread. Default: all of the resource. */
  threadId?: string | undefined
  model: string
  vector: Vector
  /** How many at most. Default: 10. */
  limit?: number | undefined
  /** The lowest score. Default: none. */
  minScore?: number | undefined
}

export interface VectorMatch {
  threadId: string
  messageId: string
  /** Cosine similarity, -1 to 1. */
  score: number
}

/** Which vectors are copied to a thread. */
export interface CopyVectorsOptions extends ThreadKey {
  from: VectorSource
}

/** Vectors of some messages of a thread, of a whole thread, or of a whole resource. */
export type DeleteVectorsOptions = Owner &
  (
    | { threadId: string; messageIds?: readonly string[] | undefined }
    | { threadId?: undefined; messageIds?: undefined }
  )

/**
 * Vectors of messages, kept apart from the messages: in a database of another kind, or for more of them than a store
 * compares in time. `testVectorStore` of `@millrace/testing` says whether an adapter does what is asked. The resource is part
 * of every key, as in `Store`.
 */
export interface VectorStore {
  /**
   * Stores a vector for each message, in place of the one it has, of whatever model. It knows nothing of the messages: whether
   * they are there is for the caller.
   *
   * @throws MillraceError `STORAGE_INPUT_INVALID` if the vectors are not of one length, or not as `Vector` says
   */
  saveVectors(options: SaveVectorsOptions): Promise<void>
  /** The nearest vectors of the model by cosine similarity, best first; an index may leave some out. */
  searchVectors(options: VectorQuery): Promise<VectorMatch[]>
  /** Stores for each message the vector that its original has, in the same resource: all of them or none. */
  copyVectors(options: CopyVectorsOptions): Promise<void>
  deleteVectors(options: DeleteVectorsOptions): Promise<void>
}
