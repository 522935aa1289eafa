import {
  type Message,
  MillraceError,
  type Store,
  type StoredMessage,
  type Thread,
  type ThreadChanges,
  type ThreadKey,
  type VectorStore,
} from '@millrace/core'
import { referencesIn } from '../attachments/stored-files.ts'
import { newestMessages } from '../message-history/read-messages.ts'
import {
  addCopiesToNotes,
  type CopiedMessages,
  copyThreadNotes,
  hasNotes,
} from '../observations/copy-observations.ts'
import { withoutObservations } from '../observations/stored-observations.ts'
import { changeState } from '../stored-state.ts'

export interface CloneThreadOptions extends ThreadKey, ThreadChanges {
  /** Default: a random id. */
  newThreadId?: string
  /** How many of the last messages are copied. Default: all. */
  last?: number
  /** The id of the last message to copy. Default: the thread's last message. */
  upTo?: string | undefined
}

/**
 * Copies a thread within its resource: its messages with their files and vectors, in one transaction, its
 * title, metadata and state, and the notes of the copied messages. A given title or metadata overrides the
 * original's. Copied messages get new ids. If it fails, no part of the copy remains.
 *
 * @param vectors The separate vector store, if there is one
 * @throws MillraceError `STORAGE_INPUT_INVALID` if the thread or message does not exist, `STORAGE_CONFLICT`
 *   if the new thread exists
 */
export async function cloneThread(
  { storage, vectors }: { storage: Store; vectors: VectorStore | undefined },
  { newThreadId = crypto.randomUUID(), last, upTo, title, metadata, ...key }: CloneThreadOptions,
): Promise<Thread> {
  const messages = messagesUpTo(await lastMessages(storage, key, last), upTo)
  // Read after its messages: if a message was deleted in the meantime, its notes are already gone.
  const original = await storage.getThread(key)
  if (!original) {
    throw new MillraceError(
      'STORAGE_INPUT_INVALID',
      `The thread '${key.threadId}' to copy does not exist. Check its threadId and resourceId.`,
    )
  }
  const { resourceId } = key
  const copy = { threadId: newThreadId, ...(resourceId !== undefined && { resourceId }) }
  await storage.saveThread({
    ...copy,
    title: title === undefined ? original.title : title,
    metadata: metadata ?? original.metadata,
    state: withoutObservations(original.state),
    ifVersion: 0,
  })
  try {
    const { thread, ids } = await copyMessages({ storage, vectors }, { messages, key, copy })
    const resource = resourceId === undefined ? undefined : await storage.getResource({ resourceId })
    const { state } = original
    if (!hasNotes(state) && !(resource && hasNotes(resource.state))) return thread
    const copied: CopiedMessages = {
      originals: { threadId: key.threadId, messages },
      copies: { threadId: newThreadId, messages: await messagesById(storage, copy, ids) },
    }
    if (resourceId !== undefined) await addCopiesToNotes(storage, resourceId, copied)
    await changeState(storage, copy, (found) => ({ ...copyThreadNotes(state, copied), ...found.state }))
    return (await storage.getThread(copy)) ?? thread
  } catch (error) {
    await Promise.allSettled([vectors?.deleteVectors(copy), storage.deleteThread(copy)])
    throw error
  }
}

async function copyMessages(
  { storage, vectors }: { storage: Store; vectors: VectorStore | undefined },
  { messages, key, copy }: { messages: readonly StoredMessage[]; key: ThreadKey; copy: ThreadKey },
): Promise<{ thread: Thread; ids: ReadonlyMap<string, string> }> {
  const ids = new Map(messages.map(({ message }) => [message.id, crypto.randomUUID() as string]))
  const copyOf = (id: string): string => ids.get(id) ?? id
  const wanted = messages.flatMap(({ message }) =>
    referencesIn(message).map((id) => ({ messageId: message.id, id })),
  )
  const blobs = wanted.length > 0 ? await storage.getBlobs({ ...key, blobs: wanted }) : []
  const from = {
    threadId: key.threadId,
    messages: [...ids].map(([originalId, messageId]) => ({ messageId, originalId })),
  }
  // Vectors first: a vector without its message is ignored, but a message without its vector would not be
  // found.
  if (ids.size > 0) await vectors?.copyVectors({ ...copy, from })
  const thread = await storage.saveMessages({
    ...copy,
    messages: messages.map(({ message }): Message => ({ ...message, id: copyOf(message.id) })),
    blobs: blobs.map((blob) => ({ ...blob, messageId: copyOf(blob.messageId) })),
    ...(!vectors && ids.size > 0 && { vectorsFrom: from }),
  })
  return { thread, ids }
}

async function messagesById(
  storage: Store,
  { threadId, resourceId }: ThreadKey,
  ids: ReadonlyMap<string, string>,
): Promise<StoredMessage[]> {
  const messages = [...ids.values()].map((messageId) => ({ threadId, messageId }))
  return storage.getMessages({ resourceId, messages })
}

/** Oldest first. */
async function lastMessages(storage: Store, key: ThreadKey, last?: number): Promise<StoredMessage[]> {
  const newestFirst: StoredMessage[] = []
  for await (const stored of newestMessages(storage, key, { last })) newestFirst.push(stored)
  return newestFirst.reverse()
}

function messagesUpTo(
  messages: readonly StoredMessage[],
  upTo: string | undefined,
): readonly StoredMessage[] {
  if (upTo === undefined) return messages
  const index = messages.findIndex(({ message }) => message.id === upTo)
  if (index !== -1) return messages.slice(0, index + 1)
  throw new MillraceError(
    'STORAGE_INPUT_INVALID',
    `The message '${upTo}' is not among the messages to copy. Check the id in upTo.`,
  )
}
