import type { Message, MessageFilter, Store, StoredMessage, ThreadKey } from '@millrace/core'
import { isBlocked } from '../message-history/turn-mark.ts'
import type { MessageRange, Surroundings } from './surroundings.ts'

/** What recall searches: all threads of the resource, or one thread. Without a resource always one thread. */
export function scopeOf(
  { threadId, resourceId }: ThreadKey,
  {
    scope = 'resource',
    filter,
  }: { scope?: 'thread' | 'resource' | undefined; filter?: Omit<MessageFilter, 'threadId'> | undefined },
): MessageFilter {
  const isWide = scope === 'resource' && resourceId !== undefined
  return { ...filter, resourceId, ...(!isWide && { threadId }) }
}

export function rangeOf(messageRange: number | MessageRange): MessageRange {
  return typeof messageRange === 'number' ? { before: messageRange, after: messageRange } : messageRange
}

/** Whether a message may be recalled: not if it was blocked or is a system message. */
export function isRecallable({ message }: StoredMessage): boolean {
  return message.role !== 'system' && !isBlocked(message)
}

/** Whether a message passes the filter. A neighbor of a hit may not. */
export function passesFilter(
  { role, content, createdAt }: Message,
  { role: wantedRole, createdFrom, createdBefore, metadata = {} }: MessageFilter,
): boolean {
  return (
    (wantedRole === undefined || role === wantedRole) &&
    (createdFrom === undefined || createdAt >= createdFrom) &&
    (createdBefore === undefined || createdAt < createdBefore) &&
    Object.entries(metadata).every(
      ([name, value]) => Object.hasOwn(content.metadata ?? {}, name) && content.metadata?.[name] === value,
    )
  )
}

/**
 * The hits with their neighbors: grouped by thread, oldest first within a thread. Reads from the store only
 * what `known` does not have.
 */
export async function withNeighbours(
  found: readonly StoredMessage[],
  options: {
    storage: Store
    resourceId: string | undefined
    range: MessageRange
    known: Surroundings | undefined
  },
): Promise<StoredMessage[]> {
  if (found.length === 0) return []
  const { storage, resourceId, range, known } = options
  const messages =
    known?.around(found, range) ??
    (await storage.getMessages({
      resourceId,
      messages: found.map(({ message }) => messageKeyOf(message)),
      previous: range.before,
      next: range.after,
    }))
  return messages.filter(isRecallable)
}

export function messageKeyOf({ id, threadId }: Message): { threadId: string; messageId: string } {
  return { threadId: threadId as string, messageId: id }
}
