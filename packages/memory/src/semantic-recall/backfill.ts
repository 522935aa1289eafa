import type { Store } from '@millrace/core'
import { embedMessages } from './embed-messages.ts'
import { Embedder, type EmbeddingModel } from './embedder.ts'

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

export interface BackfillProgress {
  /** Messages embedded so far, in this call. */
  embedded: number
}

/**
 * Embeds what was stored before there was an embedding model, or with another one. It can be broken off at any time:
 * what is embedded stays so, and the next call goes on with the rest.
 */
export async function backfill(
  { storage, embedder: model }: { storage: Store; embedder: EmbeddingModel },
  { threadId, resourceId, batchSize = 100, abortSignal, onProgress }: BackfillOptions = {},
): Promise<BackfillProgress> {
  const embedder = Embedder.of(model)
  let embedded = 0
  let cursor: string | undefined
  do {
    abortSignal?.throwIfAborted()
    const page = await storage.listMessagesWithoutVector({
      resourceId,
      threadId,
      model: embedder.name,
      limit: batchSize,
      cursor,
    })
    for (const [thread, messages] of Map.groupBy(page.items, ({ message }) => message.threadId as string)) {
      await embedMessages(
        messages.map(({ message }) => message),
        { storage, embedder, threadId: thread, resourceId },
      )
      embedded += messages.length
    }
    onProgress?.({ embedded })
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return { embedded }
}
