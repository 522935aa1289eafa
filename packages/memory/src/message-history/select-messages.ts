import type { Message, OptionNames, Store, StoredMessage, ThreadKey } from '@millrace/core'
import { newestMessages, readMessages } from './read-messages.ts'

/** Which messages of a thread. Default: all. */
export interface SelectMessagesOptions {
  /** Number of messages, counted from the end. */
  last?: number | undefined
  /** Ids of single messages. Can be combined with `last`. */
  include?: readonly string[] | undefined
  /** How many messages before each included one to return. Default: 0. */
  withPreviousMessages?: number | undefined
  /** How many messages after each included one to return. Default: 0. */
  withNextMessages?: number | undefined
}

export const SELECT_MESSAGES_OPTIONS: OptionNames<SelectMessagesOptions> = {
  last: 'optional',
  include: 'optional',
  withPreviousMessages: 'optional',
  withNextMessages: 'optional',
}

/** The selected messages in thread order, without duplicates. */
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
