import type { StoredMessage } from './message-store.ts'
import type { Owner, Page, PageOptions } from './owner.ts'
import type { ThreadKey } from './thread-store.ts'

/** Which messages of a resource are searched. */
export interface MessageFilter extends Owner {
  /** Only this thread. Default: all of the resource. */
  threadId?: string | undefined
  role?: 'user' | 'assistant' | undefined
  /** Created at this time or later. */
  createdFrom?: Date | undefined
  /** Created before this time. */
  createdBefore?: Date | undefined
  /** Values that `content.metadata` has under these names, at its top level. */
  metadata?: Readonly<Record<string, string | number | boolean | null>> | undefined
}

export interface SearchMessagesOptions extends MessageFilter {
  /** Any text: its words are looked for, and nothing in it is syntax. */
  query: string
  /** How many messages at most. Default: 10. */
  limit?: number | undefined
}

export interface MessageHit extends StoredMessage {
  /** Larger is better. By words: BM25. By meaning: cosine similarity, -1 to 1. */
  score: number
}

export interface SaveVectorsOptions extends ThreadKey {
  /** The name of the embedding model. Vectors of different models are never compared. */
  model: string
  /** The first vector stored for a model fixes its number of dimensions, in this resource. */
  vectors: readonly { messageId: string; vector: Vector }[]
}

export interface SearchVectorsOptions extends MessageFilter {
  model: string
  vector: Vector
  /** How many messages at most. Default: 10. */
  limit?: number | undefined
  /** The lowest score. Default: none. */
  minScore?: number | undefined
}

/** Finite numbers, not all of them 0. Stored with 32 bits each. */
export type Vector = readonly number[] | Float32Array

export interface ListMessagesWithoutVectorOptions extends Owner, PageOptions {
  /** Only this thread. Default: all of the resource. */
  threadId?: string | undefined
  model: string
}

export interface SearchStore {
  /**
   * Messages that share words with the query, best first: ranked by `BM25` over the words of their text parts (of each
   * message the first 32,768 characters, and of these the first 4,096 words), reduced to stems; of equal ones the newest first. How rare a word is, and how long messages are, is that of the resource
   * alone, in all its threads: a score says nothing of others. Words so common that they say nothing may be left out of
   * the query.
   */
  searchMessages(options: SearchMessagesOptions): Promise<MessageHit[]>
  /**
   * Stores a vector for each message, in place of the one it has, of whatever model. Messages that are not there, or
   * have no text, are left out: they were deleted meanwhile.
   */
  saveVectors(options: SaveVectorsOptions): Promise<void>
  /** Messages by cosine similarity to the vector, best first, exactly. */
  searchVectors(options: SearchVectorsOptions): Promise<MessageHit[]>
  /** Messages with text that have no vector of this model. */
  listMessagesWithoutVector(options: ListMessagesWithoutVectorOptions): Promise<Page<StoredMessage>>
}
