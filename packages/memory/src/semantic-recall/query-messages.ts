import type { Message, Store, ThreadKey } from '@millrace/core'
import { Embedder } from './embedder.ts'
import { searchMemory } from './search-memory.ts'
import type { SemanticRecallOptions } from './semantic-recall-processor.ts'

export interface QueryOptions extends SemanticRecallOptions {
  /** Any text. */
  query: string
}

/**
 * Messages that bear on a text, with their neighbours: as `SemanticRecallProcessor` finds them.
 *
 * @throws whatever the embedding model throws
 */
export async function queryMessages(
  storage: Store,
  { threadId, resourceId }: ThreadKey,
  { query, topK = 4, messageRange = 1, scope = 'resource', threshold, embedder, filter }: QueryOptions,
): Promise<Message[]> {
  const isWide = scope === 'resource' && resourceId !== undefined
  const { hits, failure } = await searchMemory({
    storage,
    embedder: embedder && new Embedder(embedder),
    filter: { ...filter, resourceId, ...(!isWide && { threadId }) },
    query,
    threshold,
  })
  if (failure !== undefined) throw failure
  const range =
    typeof messageRange === 'number' ? { before: messageRange, after: messageRange } : messageRange
  const found = await storage.getMessages({
    resourceId,
    messages: hits
      .slice(0, topK)
      .map(({ message }) => ({ threadId: message.threadId as string, messageId: message.id })),
    previous: range.before,
    next: range.after,
  })
  return found.map(({ message }) => message)
}
