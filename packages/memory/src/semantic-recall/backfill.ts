import type { Store, StoredMessage, VectorStore } from '@millrace/core'
import { embedMessages } from './embed-messages.ts'
import { Embedder, type EmbeddingModel } from './embedder.ts'
import { recallVectors } from './recall-vectors.ts'

export interface BackfillOptions {
  /** Only this thread. Default: all of the resource. */
  threadId?: string
  /** Default: what belongs to no resource. */
  resourceId?: string
  /** Messages embedded at a time. Default: 100. */
  batchSize?: number
  abortSignal?: AbortSignal
  /** Called after each batch. */
  onProgress?: (progress: BackfillProgress) => void
}

export interface BackfillPlace {
  storage: Store
  embedder: EmbeddingModel
  /** As in `semanticRecall`. It does not say what it has: all messages are embedded. */
  vectors?: VectorStore | undefined
}

export interface BackfillProgress {
  /** Messages embedded so far, in this call. */
  embedded: number
}

/**
 * Embeds what was stored before there was an embedding model, or with another one. It can be broken off at any time:
 * what is embedded stays so, and the next call goes on with the rest.
 */
export async function backfill(
  { storage, embedder: model, vectors }: BackfillPlace,
  { threadId, resourceId, batchSize = 100, abortSignal, onProgress }: BackfillOptions = {},
): Promise<BackfillProgress> {
  const embedder = Embedder.of(model)
  let embedded = 0
  const pages = vectors
    ? allMessages(storage, { threadId, resourceId, limit: batchSize })
    : withoutVector(storage, { threadId, resourceId, limit: batchSize, model: embedder.name })
  abortSignal?.throwIfAborted()
  for await (const items of pages) {
    abortSignal?.throwIfAborted()
    for (const [thread, messages] of Map.groupBy(items, ({ message }) => message.threadId as string)) {
      await embedMessages(
        messages.map(({ message }) => message),
        { vectors: recallVectors(storage, vectors), embedder, threadId: thread, resourceId },
      )
      embedded += messages.length
    }
    onProgress?.({ embedded })
  }
  return { embedded }
}

async function* withoutVector(
  storage: Store,
  options: Parameters<Store['listMessagesWithoutVector']>[0],
): AsyncGenerator<StoredMessage[]> {
  let cursor: string | undefined
  do {
    const page = await storage.listMessagesWithoutVector({ ...options, cursor })
    yield page.items
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

async function* allMessages(
  storage: Store,
  {
    threadId,
    resourceId,
    limit,
  }: { threadId: string | undefined; resourceId: string | undefined; limit: number },
): AsyncGenerator<StoredMessage[]> {
  for await (const id of threadId === undefined ? threadIds(storage, resourceId) : [threadId]) {
    let cursor: string | undefined
    do {
      const page = await storage.listMessages({ threadId: id, resourceId, limit, cursor })
      yield page.items
      cursor = page.nextCursor
    } while (cursor !== undefined)
  }
}

async function* threadIds(storage: Store, resourceId: string | undefined): AsyncGenerator<string> {
  let cursor: string | undefined
  do {
    const page = await storage.listThreads({ resourceId, orderBy: 'createdAt', cursor })
    for (const { id } of page.items) yield id
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
