import type { Store, StoredMessage } from '@millrace/core'
import { type Cut, cutMessages, markEdited } from './source-range.ts'

/**
 * Compares the source messages of notes with the store. Returns which of them were deleted or edited, or
 * `undefined` if none was.
 */
export async function cutOfChanged(
  storage: Store,
  { resourceId, messages }: { resourceId: string | undefined; messages: readonly StoredMessage[] },
): Promise<Cut | undefined> {
  const threadId = messages[0]?.message.threadId ?? ''
  const wanted = messages.map(({ message }) => ({ threadId, messageId: message.id }))
  const found = await storage.getMessages({ resourceId, messages: wanted })
  const partsNow = new Map(found.map(({ message }) => [message.id, partsOf(message)]))
  const gone = messages.filter(({ message: { id } }) => !partsNow.has(id))
  const edited = messages.filter(({ message }) => {
    const now = partsNow.get(message.id)
    return now !== undefined && now !== partsOf(message)
  })
  if (gone.length > 0) {
    return cutMessages(threadId, { gone: gone.map(({ sequence }) => sequence), around: found })
  }
  return edited.length > 0
    ? markEdited(
        threadId,
        edited.map(({ sequence }) => sequence),
      )
    : undefined
}

function partsOf({ content }: StoredMessage['message']): string {
  return JSON.stringify(content.parts)
}
