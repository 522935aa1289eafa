import type { Owner } from './owner.ts'
import type { SaveVectorsOptions, Vector } from './search-store.ts'
import type { ThreadKey } from './thread-store.ts'
import type { VectorSource } from './vector-source.ts'

/** A vector search. */
export interface VectorQuery extends Owner {
  /** Only this thread. Default: all threads of the resource. */
  threadId?: string | undefined
  model: string
  vector: Vector
  /** Maximum number of matches. Default: 10. */
  limit?: number | undefined
  /** Minimum score. Default: none. */
  minScore?: number | undefined
}

export interface VectorMatch {
  threadId: string
  messageId: string
  /** Cosine similarity, from -1 to 1. */
  score: number
}

/** The vectors to copy, and the thread to copy them to. */
export interface CopyVectorsOptions extends ThreadKey {
  from: VectorSource
}

/** Vectors of some messages of a thread, of a whole thread, or, with `allThreads`, of a whole resource. */
export type DeleteVectorsOptions = Owner &
  ({ threadId: string; messageIds?: readonly string[] | undefined } | { allThreads: true })

/**
 * Stores vectors of messages separately from the messages: in another kind of database, or for larger numbers than a
 * store can compare in time. `testVectorStore` of `@millrace/testing` is its conformance test. The resource is part
 * of every key, as in `Store`.
 */
export interface VectorStore {
  /**
   * Stores a vector for each message. Replaces the existing one, of any model. Does not check whether the messages
   * exist.
   *
   * @throws MillraceError `STORAGE_INPUT_INVALID` if the vectors have different lengths, or are not as described for
   *   `Vector`
   */
  saveVectors(options: SaveVectorsOptions): Promise<void>
  /** The nearest vectors of the model by cosine similarity, best first. An approximate index may omit some. */
  searchVectors(options: VectorQuery): Promise<VectorMatch[]>
  /** Copies the vectors of the originals to these messages, in the same resource. Atomic. */
  copyVectors(options: CopyVectorsOptions): Promise<void>
  deleteVectors(options: DeleteVectorsOptions): Promise<void>
}
