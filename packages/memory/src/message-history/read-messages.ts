import type { Message, Store, StoredMessage, ThreadKey } from '@millrace/core'
import { checkCount } from '@millrace/core/storage'

/** Number of messages per query. */
const PAGE = 200

export interface ReadMessagesOptions {
  /** Number of messages, counted from the end. Default: all. */
  last?: number | undefined
  /** Only messages before the one with this id. */
  before?: string | undefined
}

/** The messages of a thread, oldest first. */
export async function readMessages(
  storage: Store,
  key: ThreadKey,
  options: ReadMessagesOptions = {},
): Promise<Message[]> {
  const newestFirst: Message[] = []
  for await (const { message } of newestMessages(storage, key, options)) newestFirst.push(message)
  return newestFirst.reverse()
}

/**
 * The messages of a thread, newest first, read lazily in pages.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID` if `last` is not an integer of at least 0
 */
export async function* newestMessages(
  storage: Store,
  key: ThreadKey,
  { last = Number.POSITIVE_INFINITY, before }: ReadMessagesOptions,
): AsyncGenerator<StoredMessage, void> {
  let left = last === Number.POSITIVE_INFINITY ? last : checkCount('last', last, { fallback: 0, least: 0 })
  let cursor: string | undefined
  while (left > 0) {
    const { items, nextCursor } = await storage.listMessages({
      ...key,
      order: 'desc',
      limit: Math.min(left, PAGE),
      cursor,
      before,
    })
    yield* items
    if (nextCursor === undefined) return
    left -= items.length
    cursor = nextCursor
  }
}
