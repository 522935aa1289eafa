import type { Message } from '../messages/message.ts'
import type { MessageBlob } from './blob-store.ts'
import type { Owner, Page, PageOptions } from './owner.ts'
import type { Thread, ThreadChanges, ThreadKey } from './thread-store.ts'
import type { VectorSource } from './vector-source.ts'

export interface StoredMessage {
  message: Message
  /** Position in the thread. Increases with each added message, and is not reused. */
  sequence: number
}

export interface SaveMessagesOptions extends ThreadKey {
  /** Ids must be unique. The `threadId` and `resourceId` of the messages are overwritten. */
  messages: readonly Message[]
  /** Changes to the thread, in the same transaction. */
  thread?: ThreadChanges | undefined
  /**
   * Removes the messages after the one with this id before anything is saved, to repeat a turn. Removes nothing if
   * the thread does not have that message.
   */
  deleteAfter?: string | undefined
  /**
   * Blobs of these messages, whose JSON must contain their ids. A blob exists as long as the content of its message
   * contains its id. An existing blob is not overwritten.
   */
  blobs?: readonly MessageBlob[] | undefined
  /**
   * Says of which messages these are copies. A copy gets the vector of its original, in the same transaction, if
   * there is one and the texts have the same words. Ignored by a store without `capabilities.vectors`.
   */
  vectorsFrom?: VectorSource | undefined
}

/** Limits for messages. The same options in every store. */
export interface MessageLimits {
  /**
   * Maximum size of the text of a message in bytes of UTF-8: of its `text` and `reasoning` parts together. A longer
   * text is refused with `STORAGE_MESSAGE_TOO_LARGE`. Default: 1 MiB.
   */
  maxMessageBytes?: number
  /** Maximum size of a blob in bytes. Default: 16 MiB. */
  maxBlobBytes?: number
}

export interface ListMessagesOptions extends ThreadKey, PageOptions {
  /** `asc`: oldest first. `desc`: newest first. Default: `asc`. */
  order?: 'asc' | 'desc' | undefined
  /** Only messages before the one with this id, to repeat a turn. All messages if the thread does not have it. */
  before?: string | undefined
}

export interface GetMessagesOptions extends Owner {
  messages: readonly { threadId: string; messageId: string }[]
  /** Number of messages to include before each one, of its thread. Default: 0. */
  previous?: number | undefined
  /** Number of messages to include after each one, of its thread. Default: 0. */
  next?: number | undefined
}

export interface DeleteMessagesOptions extends ThreadKey {
  messageIds: readonly string[]
}

export interface MessageStore {
  /**
   * Appends messages to a thread, which is created if it does not exist. A message whose id is already in the thread
   * is replaced: it keeps its position and its `createdAt`, loses its vector if its text has changed, and is found by
   * its new text only. Idempotent.
   *
   * @throws MillraceError `STORAGE_MESSAGE_TOO_LARGE`; then nothing is saved
   */
  saveMessages(options: SaveMessagesOptions): Promise<Thread>
  /** The messages of a thread, in the order in which they were saved. Empty if the thread does not exist. */
  listMessages(options: ListMessagesOptions): Promise<Page<StoredMessage>>
  /**
   * Individual messages with their neighbors, without duplicates: by thread as given, and in order. Missing messages
   * are left out.
   */
  getMessages(options: GetMessagesOptions): Promise<StoredMessage[]>
  /** Removes messages with their vectors and blobs. Returns how many existed. */
  deleteMessages(options: DeleteMessagesOptions): Promise<number>
}
