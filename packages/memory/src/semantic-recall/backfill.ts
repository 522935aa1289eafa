import {
  type OptionNames,
  requireOptions,
  type Store,
  type StoredMessage,
  type VectorStore,
} from '@millrace/core'
import { embedMessages } from './embed-messages.ts'
import { Embedder, type EmbeddingModel } from './embedder.ts'
import { recallVectors } from './recall-vectors.ts'

export interface BackfillOptions {
  /** Only this thread. Default: all threads of the resource. */
  threadId?: string
  /** Default: threads without a resource. */
  resourceId?: string
  /** Messages per batch. Default: 100. */
  batchSize?: number
  abortSignal?: AbortSignal
  /** Called after each batch. */
  onProgress?: (progress: BackfillProgress) => void
}

const BACKFILL_OPTIONS: OptionNames<BackfillOptions> = {
  threadId: 'optional',
  resourceId: 'optional',
  batchSize: 'optional',
  abortSignal: 'optional',
  onProgress: 'optional',
}

export interface BackfillPlace {
  storage: Store
  embedder: EmbeddingModel
  /**
   * The same vector store as in `semanticRecall`. It cannot report which messages it has, so all messages are
   * embedded.
   */
  vectors?: VectorStore | undefined
}

const BACKFILL_PLACE: OptionNames<BackfillPlace> = {
  storage: 'required',
  embedder: 'required',
  vectors: 'optional',
}

export interface BackfillProgress {
  /** Number of messages embedded by this call so far. */
  embedded: number
}

/**
 * Embeds messages that were stored before an embedding model was set, or with another model. It can be
 * interrupted at any time: finished batches are kept, and the next call continues with the rest.
 */
export async function backfill(
  place: BackfillPlace,
  options: BackfillOptions = {},
): Promise<BackfillProgress> {
  const { storage, embedder: model, vectors } = requireOptions('backfill()', place, BACKFILL_PLACE)
  const {
    threadId,
    resourceId,
    batchSize = 100,
    abortSignal,
    onProgress,
  } = requireOptions('backfill()', options, BACKFILL_OPTIONS)
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
