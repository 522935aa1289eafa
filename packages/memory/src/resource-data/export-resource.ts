import type { Store, StoredMessage, ThreadKey } from '@millrace/core'
import { toBase64 } from '../attachments/base64.ts'
import { referencesIn } from '../attachments/stored-files.ts'
import { EXPORT_VERSION, toLine } from './records.ts'

/** Number of messages per query. */
const PAGE = 200

/**
 * Exports a resource as JSON lines, read lazily: all threads with their messages, files and state, and the
 * state of the resource.
 */
export async function* exportResource(
  storage: Store,
  { resourceId }: { resourceId: string },
): AsyncGenerator<string, void> {
  yield toLine({ type: 'header', format: 'millrace-resource', version: EXPORT_VERSION, resourceId })
  const resource = await storage.getResource({ resourceId })
  if (resource) yield toLine({ type: 'resource', metadata: resource.metadata, state: resource.state })
  const counts = { threads: 0, messages: 0 }
  for (const threadId of await threadIdsOf(storage, resourceId)) {
    const thread = await storage.getThread({ threadId, resourceId })
    // The thread was deleted in the meantime.
    if (!thread) continue
    const { id, title, metadata, state } = thread
    yield toLine({ type: 'thread', id, ...(title !== undefined && { title }), metadata, state })
    counts.threads++
    for await (const { message, sequence } of oldestMessages(storage, { threadId, resourceId })) {
      const { id: messageId, role, content, createdAt } = message
      yield toLine({
        type: 'message',
        sequence,
        id: messageId,
        role,
        createdAt: createdAt.toISOString(),
        content,
      })
      counts.messages++
      const wanted = referencesIn(message).map((blobId) => ({ messageId, id: blobId }))
      if (wanted.length === 0) continue
      for (const { id: blobId, data } of await storage.getBlobs({ threadId, resourceId, blobs: wanted })) {
        yield toLine({ type: 'file', id: blobId, data: await toBase64(data) })
      }
    }
  }
  yield toLine({ type: 'end', ...counts })
}

/** In the order of creation. */
async function threadIdsOf(storage: Store, resourceId: string): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await storage.listThreads({ resourceId, orderBy: 'createdAt', cursor, limit: PAGE })
    ids.push(...page.items.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return ids.reverse()
}

async function* oldestMessages(storage: Store, key: ThreadKey): AsyncGenerator<StoredMessage> {
  let cursor: string | undefined
  do {
    const page = await storage.listMessages({ ...key, cursor, limit: PAGE })
    yield* page.items
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
