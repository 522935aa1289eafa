import type { StoredMessage } from './message-store.ts'
import type { Owner, Page, PageOptions } from './owner.ts'
import type { ThreadKey } from './thread-store.ts'

/** Filters the messages of a resource. */
export interface MessageFilter extends Owner {
  /** Only this thread. Default: all threads of the resource. */
  threadId?: string | undefined
  role?: 'user' | 'assistant' | undefined
  /** Created at or after this time. */
  createdFrom?: Date | undefined
  /** Created before this time. */
  createdBefore?: Date | undefined
  /** Required values of `content.metadata`, by top-level key. */
  metadata?: Readonly<Record<string, string | number | boolean | null>> | undefined
}

export interface SearchMessagesOptions extends MessageFilter {
  /** Any text. Its words are searched; it has no query syntax. */
  query: string
  /** Maximum number of messages. Default: 10. */
  limit?: number | undefined
}

export interface MessageHit extends StoredMessage {
  /** Higher is better. For words: BM25. For vectors: cosine similarity, from -1 to 1. */
  score: number
}

export interface SaveVectorsOptions extends ThreadKey {
  /** The name of the embedding model. Vectors of different models are not compared. */
  model: string
  /** All vectors of a model must have the same number of dimensions in a resource. The first one determines it. */
  vectors: readonly { messageId: string; vector: Vector }[]
}

export interface SearchVectorsOptions extends MessageFilter {
  model: string
  vector: Vector
  /** Maximum number of messages. Default: 10. */
  limit?: number | undefined
  /** Minimum score. Default: none. */
  minScore?: number | undefined
}

/** Finite numbers, not all of them 0. Stored with 32 bits each. */
export type Vector = readonly number[] | Float32Array

export interface ListMessagesWithoutVectorOptions extends Owner, PageOptions {
  /** Only this thread. Default: all threads of the resource. */
  threadId?: string | undefined
  model: string
}

export interface SearchStore {
  /**
   * Messages that share words with the query, best first; the newest first among equal ones. Ranked by `BM25` over
   * the stems of the words in their text parts: the first 32,768 characters of each message, and of these the first
   * 4,096 words. Word frequencies and message lengths are those of all threads of the resource, so a score reveals
   * nothing about other resources. Very common words of the query may be ignored.
   */
  searchMessages(options: SearchMessagesOptions): Promise<MessageHit[]>
  /**
   * Stores a vector for each message. Replaces the existing one, of any model. Messages that do not exist any more or
   * have no text are ignored.
   */
  saveVectors(options: SaveVectorsOptions): Promise<void>
  /** Messages by cosine similarity to the vector, best first. Exact search. */
  searchVectors(options: SearchVectorsOptions): Promise<MessageHit[]>
  /** Messages with text that have no vector of this model. */
  listMessagesWithoutVector(options: ListMessagesWithoutVectorOptions): Promise<Page<StoredMessage>>
}
