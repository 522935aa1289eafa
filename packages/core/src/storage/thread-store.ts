import type { Owner, Page, PageOptions } from './owner.ts'

/** A conversation. */
export interface Thread {
  id: string
  resourceId?: string
  title?: string
  /** For the application. JSON. */
  metadata: Record<string, unknown>
  /** State of processors for the thread, by processor, such as a working memory or a summary. JSON. */
  state: Record<string, unknown>
  /** Increases with each change of title, metadata or state: see `ifVersion`. Messages do not change it. */
  version: number
  messageCount: number
  createdAt: Date
  /** When the thread or its messages were last changed. */
  updatedAt: Date
}

export interface ThreadKey extends Owner {
  threadId: string
}

export interface ThreadChanges {
  /** `null` removes it. */
  title?: string | null | undefined
  /** Replaces the metadata. */
  metadata?: Record<string, unknown> | undefined
}

export interface SaveThreadOptions extends ThreadKey, ThreadChanges {
  /** Replaces the state. */
  state?: Record<string, unknown> | undefined
  /** Saves only if the thread still has this version; 0 means only if it does not exist. */
  ifVersion?: number | undefined
}

export interface ListThreadsOptions extends Owner, PageOptions {
  /** Last changed first, or last created first. Default: `updatedAt`. */
  orderBy?: 'updatedAt' | 'createdAt' | undefined
}

export interface SearchThreadsOptions extends Owner {
  /** Any text. Its words are searched; it has no query syntax. Default: all threads. */
  query?: string | undefined
  /** Required values of `metadata`, by top-level key. */
  metadata?: Readonly<Record<string, string | number | boolean | null>> | undefined
  /** Maximum number of threads. Default: 20. */
  limit?: number | undefined
}

export interface ThreadHit {
  thread: Thread
  /** Higher is better; 0 without a query. */
  score: number
  /** The best matching message, if there is one. */
  messageId?: string
}

export interface ThreadStore {
  getThread(key: ThreadKey): Promise<Thread | undefined>
  /**
   * Creates the thread, or changes the given fields.
   *
   * @throws MillraceError `STORAGE_CONFLICT` if its version differs from `ifVersion`
   */
  saveThread(options: SaveThreadOptions): Promise<Thread>
  /** The threads of one resource, or of none. */
  listThreads(options: ListThreadsOptions): Promise<Page<Thread>>
  /**
   * Threads of one resource, or of none, with a word of the query in their title or, in a store with
   * `capabilities.search`, in a message. Best first; the last changed first among equal ones. The score is that of
   * the best message, as `searchMessages` returns it, plus up to 10 for the fraction of the query's words in the
   * title. The cost is that of reading all titles of the resource and scoring the matching messages.
   */
  searchThreads(options: SearchThreadsOptions): Promise<ThreadHit[]>
  /** Removes the thread with its messages, their vectors and its suspended runs. Returns whether it existed. */
  deleteThread(key: ThreadKey): Promise<boolean>
}
