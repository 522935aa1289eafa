import type { Owner, Page, PageOptions } from './owner.ts'

/** A conversation. */
export interface Thread {
  id: string
  resourceId?: string
  title?: string
  /** Free for the application. JSON. */
  metadata: Record<string, unknown>
  /** What processors keep with the thread, by processor: a working memory, a summary. JSON. */
  state: Record<string, unknown>
  /** Grows with every change of title, metadata or state: see `ifVersion`. Messages do not change it. */
  version: number
  messageCount: number
  createdAt: Date
  /** When the thread, or its messages, last changed. */
  updatedAt: Date
}

export interface ThreadKey extends Owner {
  threadId: string
}

export interface ThreadChanges {
  /** `null` removes it. */
  title?: string | null | undefined
  /** Replaces the metadata there is. */
  metadata?: Record<string, unknown> | undefined
}

export interface SaveThreadOptions extends ThreadKey, ThreadChanges {
  /** Replaces the state there is. */
  state?: Record<string, unknown> | undefined
  /** Saves only if the thread has this version still; 0 means only if there is no such thread. */
  ifVersion?: number | undefined
}

export interface ListThreadsOptions extends Owner, PageOptions {
  /** Last changed first, or last created first. Default: `updatedAt`. */
  orderBy?: 'updatedAt' | 'createdAt' | undefined
}

export interface SearchThreadsOptions extends Owner {
  /** Any text: its words are looked for, and nothing in it is syntax. Default: all threads. */
  query?: string | undefined
  /** Values that `metadata` has under these names, at its top level. */
  metadata?: Readonly<Record<string, string | number | boolean | null>> | undefined
  /** How many threads at most. Default: 20. */
  limit?: number | undefined
}

export interface ThreadHit {
  thread: Thread
  /** Larger is better; 0 without a query. */
  score: number
  /** The message that matches best, where one does. */
  messageId?: string
}

export interface ThreadStore {
  getThread(key: ThreadKey): Promise<Thread | undefined>
  /**
   * Creates the thread, or changes what is given of it.
   *
   * @throws MillraceError `STORAGE_CONFLICT` if the thread has another version than `ifVersion`
   */
  saveThread(options: SaveThreadOptions): Promise<Thread>
  /** Threads of one resource, or of none. */
  listThreads(options: ListThreadsOptions): Promise<Page<Thread>>
  /**
   * Threads of one resource, or of none, that have a word of the query in their title or, in a store with
   * `capabilities.search`, in a message: best first, of equal ones the last changed first. The score is that of the best
   * message, as `searchMessages` gives it, and up to 10 for the share of the query's words that the title has. It costs no more
   * than to read the titles of the resource's threads and to score the messages that match.
   */
  searchThreads(options: SearchThreadsOptions): Promise<ThreadHit[]>
  /** Removes the thread with its messages, their vectors and its suspended runs. Returns whether it was there. */
  deleteThread(key: ThreadKey): Promise<boolean>
}
