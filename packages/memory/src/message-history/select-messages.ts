import type { Message, Store, StoredMessage, ThreadKey } from '@millrace/core'
import { newestMessages, readMessages } from './read-messages.ts'

/** Which messages of a thread. Default: all. */
export interface SelectMessagesOptions {
  /** How many: the last ones. */
  last?: number | undefined
  /** The ids of single messages; with `last`, both. */
  include?: readonly string[] | undefined
  /** How many messages before each single one come with it. Default: 0. */
  withPreviousMessages?: number | undefined
  /** How many messages after each single one come with it. Default: 0. */
  withNextMessages?: number | undefined
}

/** The messages in the order of the thread, each once. */
export async function selectMessages(
  storage: Store,
  key: ThreadKey,
  { last, include, withPreviousMessages, withNextMessages }: SelectMessagesOptions,
): Promise<Message[]> {
  if (!include) return readMessages(storage, key, { last })
  const single = await storage.getMessages({
    resourceId: key.resourceId,
    messages: include.map((messageId) => ({ threadId: key.threadId, messageId })),
    previous: withPreviousMessages,
    next: withNextMessages,
  })
  const newest: StoredMessage[] = []
  if (last !== undefined)
    for await (const stored of newestMessages(storage, key, { last })) newest.push(stored)
  const bySequence = new Map([...single, ...newest].map((stored) => [stored.sequence, stored.message]))
  return [...bySequence].sort(([left], [right]) => left - right).map(([, message]) => message)
}
