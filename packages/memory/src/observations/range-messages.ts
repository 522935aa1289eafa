import type { Store, StoredMessage, ThreadKey } from '@millrace/core'
import type { SourceRange } from './source-range.ts'

/** Number of messages per query. */
const PAGE = 200

/** The messages of a range, in order. Empty if the first one was deleted. */
export async function messagesOf(
  storage: Store,
  { resourceId }: ThreadKey,
  { threadId, firstId, to }: SourceRange,
): Promise<StoredMessage[]> {
  const messages: StoredMessage[] = []
  let messageId = firstId
  for (;;) {
    const found = await storage.getMessages({ resourceId, messages: [{ threadId, messageId }], next: PAGE })
    const known = messages.at(-1)?.sequence ?? 0
    const further = found.filter(({ sequence }) => sequence > known && sequence <= to)
    messages.push(...further)
    const last = further.at(-1)
    if (!last || last.sequence === to || found.length <= PAGE) return messages
    messageId = last.message.id
  }
}
