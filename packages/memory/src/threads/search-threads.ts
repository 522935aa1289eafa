import type { Message, SearchThreadsOptions, Store, Thread } from '@millrace/core'

/** A thread found by a search. */
export interface FoundThread {
  thread: Thread
  /** Larger is better. 0 if there was no query. */
  score: number
  /** The best matching message. `undefined` if only the title or the metadata matches. */
  message: Message | undefined
}

/** Searches threads, and reads their best matching messages: two queries in total. */
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
