import type { ThreadKey } from './thread-store.ts'

/** Names a blob of a message. */
export interface BlobKey {
  messageId: string
  /** 16 to 128 letters, digits, `_` and `-`, such as a hash of the data. */
  id: string
}

/** What a message refers to by an id in its content: a picture, a document. */
export interface MessageBlob extends BlobKey {
  data: Uint8Array
}

export interface GetBlobsOptions extends ThreadKey {
  blobs: readonly BlobKey[]
}

/** Kept beside messages, and read on their own. A blob is saved with its message: see `SaveMessagesOptions`. */
export interface BlobStore {
  /** Those that are there, in the order asked for. */
  getBlobs(options: GetBlobsOptions): Promise<MessageBlob[]>
}
