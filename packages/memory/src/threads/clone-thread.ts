import {
  type Message,
  MillraceError,
  type Store,
  type Thread,
  type ThreadChanges,
  type ThreadKey,
} from '@millrace/core'
import { referencesIn } from '../attachments/stored-files.ts'
import { readMessages } from '../message-history/read-messages.ts'
import { withoutObservations } from '../observations/stored-observations.ts'

export interface CloneThreadOptions extends ThreadKey, ThreadChanges {
  /** Default: a new one. */
  newThreadId?: string
  /** How many messages are copied: the last ones. Default: all. */
  last?: number
  /** The id of the last message that is copied. Default: that of the thread. */
  upTo?: string | undefined
}

/**
 * Copies a thread with its messages, title, metadata and state, within its resource; what is given of title and
 * metadata takes the place of the original's. The copies of messages have ids of their own.
 *
 * @throws MillraceError `STORAGE_INPUT_INVALID` if there is no such thread or message, `STORAGE_CONFLICT` if the new one is there
 */
export async function cloneThread(
  storage: Store,
  { newThreadId = crypto.randomUUID(), last, upTo, title, metadata, ...key }: CloneThreadOptions,
): Promise<Thread> {
  const original = await storage.getThread(key)
  if (!original) {
    throw new MillraceError(
      'STORAGE_INPUT_INVALID',
      `There is no thread '${key.threadId}' to copy. Check the id, and whose it is (resourceId).`,
    )
  }
  const messages = messagesUpTo(await readMessages(storage, key, { last }), upTo)
  const copy = { threadId: newThreadId, ...(key.resourceId !== undefined && { resourceId: key.resourceId }) }
  await storage.saveThread({
    ...copy,
    title: title === undefined ? original.title : title,
    metadata: metadata ?? original.metadata,
    // They say of which places they are, and the copies have places of their own.
    state: withoutObservations(original.state),
    ifVersion: 0,
  })
  const ids = new Map(messages.map(({ id }) => [id, crypto.randomUUID()]))
  const wanted = messages.flatMap((message) =>
    referencesIn(message).map((id) => ({ messageId: message.id, id })),
  )
  const blobs = wanted.length > 0 ? await storage.getBlobs({ ...key, blobs: wanted }) : []
  return storage.saveMessages({
    ...copy,
    messages: messages.map((message) => ({ ...message, id: ids.get(message.id) ?? crypto.randomUUID() })),
    blobs: blobs.map((blob) => ({ ...blob, messageId: ids.get(blob.messageId) ?? blob.messageId })),
  })
}

function messagesUpTo(messages: readonly Message[], upTo: string | undefined): readonly Message[] {
  if (upTo === undefined) return messages
  const index = messages.findIndex(({ id }) => id === upTo)
  if (index !== -1) return messages.slice(0, index + 1)
  throw new MillraceError(
    'STORAGE_INPUT_INVALID',
    `The thread has no message '${upTo}' among those that are to be copied. Check the id given as upTo.`,
  )
}
