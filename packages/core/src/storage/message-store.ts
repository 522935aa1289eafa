import type { Message } from '../messages/message.ts'
import type { MessageBlob } from './blob-store.ts'
import type { Owner, Page, PageOptions } from './owner.ts'
import type { Thread, ThreadChanges, ThreadKey } from './thread-store.ts'
import type { VectorSource } from './vector-source.ts'

export interface StoredMessage {
  message: Message
  /** The place in its thread: grows with every message added, and is never used again. */
  sequence: number
}

export interface SaveMessagesOptions extends ThreadKey {
  /** At most one of each id. The thread and resource they name are overwritten with those they are saved under. */
  messages: readonly Message[]
  /** Changes of the thread, in the same transaction. */
  thread?: ThreadChanges | undefined
  /**
   * Removes what comes after the message with this id, before anything is saved: for a turn that is done again. Nothing
   * is removed if the thread has no such message.
   */
  deleteAfter?: string | undefined
  /**
   * Blobs of these messages, whose JSON must contain their ids. A blob is there as long as the content of its message
   * contains its id; one that is there already is kept as it is.
   */
  blobs?: readonly MessageBlob[] | undefined
  /**
   * Of which messages these are copies: each gets the vector of its original, in the same transaction, if there is one and
   * the texts have the same words. Does nothing in a store without `capabilities.vectors`.
   */
  vectorsFrom?: VectorSource | undefined
}

/** What an adapter allows of messages: the same options in every store. */
export interface MessageLimits {
  /**
   * Bytes of the text of one message, in UTF-8: of its `text` and `reasoning` parts together. A longer one is refused with
   * `STORAGE_MESSAGE_TOO_LARGE`. Default: 1 MiB.
   */
  maxMessageBytes?: number
  /** Bytes of one blob. Default: 16 MiB. */
  maxBlobBytes?: number
}

export interface ListMessagesOptions extends ThreadKey, PageOptions {
  /** `asc`: oldest first. `desc`: newest first. Default: `asc`. */
  order?: 'asc' | 'desc' | undefined
  /** Only messages before the one with this id; all, if the thread has no such message. For a turn that is done again. */
  before?: string | undefined
}

export interface GetMessagesOptions extends Owner {
  messages: readonly { threadId: string; messageId: string }[]
  /** How many messages before each one, of its thread, come with it. Default: 0. */
  previous?: number | undefined
  /** How many messages after each one, of its thread, come with it. Default: 0. */
  next?: number | undefined
}

export interface DeleteMessagesOptions extends ThreadKey {
  messageIds: readonly string[]
}

export interface MessageStore {
  /**
   * Saves messages at the end of a thread, which is created if it is not there. A message whose id the thread has already
   * is replaced: it keeps its place and its `createdAt`, loses its vector if its text changed, and is found by its new
   * text only. So saving again what was saved changes nothing.
   *
   * @throws MillraceError `STORAGE_MESSAGE_TOO_LARGE`; nothing is saved then
   */
  saveMessages(options: SaveMessagesOptions): Promise<Thread>
  /** The messages of a thread, in the order in which they were saved. Empty if there is no such thread. */
  listMessages(options: ListMessagesOptions): Promise<Page<StoredMessage>>
  /** Single messages with their neighbours: each once, by thread as given and in order. What is not there is left out. */
  getMessages(options: GetMessagesOptions): Promise<StoredMessage[]>
  /** Removes messages, with their vectors and blobs. Returns how many were there. */
  deleteMessages(options: DeleteMessagesOptions): Promise<number>
}
