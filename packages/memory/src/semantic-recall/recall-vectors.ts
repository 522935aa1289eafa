import type { MessageHit, SaveVectorsOptions, SearchVectorsOptions, Store, VectorStore } from '@millrace/core'
import { passesFilter } from './recall-scope.ts'

/** Where recall stores and searches vectors: in the store, or in a separate vector store. */
export interface RecallVectors {
  saveVectors(options: SaveVectorsOptions): Promise<void>
  searchVectors(options: SearchVectorsOptions): Promise<MessageHit[]>
}

/**
 * The filter is applied after the vector search. With a filter, this many times more vectors are requested.
 */
const FILTER_OVERFETCH = 5

export function recallVectors(storage: Store, vectors: VectorStore | undefined): RecallVectors {
  if (!vectors) return storage
  return {
    saveVectors: (options) => saveVectors(options, { storage, vectors }),
    searchVectors: (options) => searchVectors(options, { storage, vectors }),
  }
}

/**
 * Saves vectors of messages that exist. If a message is deleted in the meantime, its vector is deleted too.
 */
async function saveVectors(
  options: SaveVectorsOptions,
  { storage, vectors }: { storage: Store; vectors: VectorStore },
): Promise<void> {
  const { threadId, resourceId } = options
  await vectors.saveVectors(options)
  const messageIds = options.vectors.map(({ messageId }) => messageId)
  const found = await storage.getMessages({
    resourceId,
    messages: messageIds.map((messageId) => ({ threadId, messageId })),
  })
  const existing = new Set(found.map(({ message }) => message.id))
  const gone = messageIds.filter((id) => !existing.has(id))
  if (gone.length > 0) await vectors.deleteVectors({ threadId, resourceId, messageIds: gone })
}

async function searchVectors(
  { limit = 10, ...options }: SearchVectorsOptions,
  { storage, vectors }: { storage: Store; vectors: VectorStore },
): Promise<MessageHit[]> {
  const { resourceId, threadId, model, vector, minScore, ...filter } = options
  const isFiltered = Object.values(filter).some((value) => value !== undefined)
  const matches = await vectors.searchVectors({
    resourceId,
    threadId,
    model,
    vector,
    minScore,
    limit: isFiltered ? limit * FILTER_OVERFETCH : limit,
  })
  if (matches.length === 0) return []
  const found = await storage.getMessages({ resourceId, messages: matches })
  const byKey = new Map(
    found.map((stored) => [messageKey(stored.message.threadId ?? '', stored.message.id), stored]),
  )
  return matches
    .flatMap((match) => {
      const stored = byKey.get(messageKey(match.threadId, match.messageId))
      return stored && passesFilter(stored.message, filter) ? [{ ...stored, score: match.score }] : []
    })
    .slice(0, limit)
}

function messageKey(threadId: string, messageId: string): string {
  return JSON.stringify([threadId, messageId])
}
