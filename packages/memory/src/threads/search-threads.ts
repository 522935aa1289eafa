import type { Message, SearchThreadsOptions, Store, Thread } from '@millrace/core'

/** A thread that a search has found. */
export interface FoundThread {
  thread: Thread
  /** Larger is better; 0 without a query. */
  score: number
  /** The message that matches best by words. `undefined` where only the title, or the metadata, does. */
  message: Message | undefined
}

/** The threads that the store finds, with their best messages: two queries, however many they are. */
export async function searchThreads(storage: Store, options: SearchThreadsOptions): Promise<FoundThread[]> {
  const hits = await storage.searchThreads(options)
  const places = hits.flatMap(({ thread, messageId }) =>
    messageId === undefined ? [] : [{ threadId: thread.id, messageId }],
  )
  const { resourceId } = options
  const found = places.length > 0 ? await storage.getMessages({ resourceId, messages: places }) : []
  const byThread = new Map(found.map(({ message }) => [message.threadId, message]))
  return hits.map(({ thread, score }) => ({ thread, score, message: byThread.get(thread.id) }))
}
