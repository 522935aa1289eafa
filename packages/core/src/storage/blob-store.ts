import type { ThreadKey } from './thread-store.ts'

/** The key of a blob. */
export interface BlobKey {
  messageId: string
  /** 16 to 128 letters, digits, `_` and `-`, such as a hash of the data. */
  id: string
}

/** Binary data that the content of a message refers to by id: an image or a document. */
export interface MessageBlob extends BlobKey {
  data: Uint8Array
}

export interface GetBlobsOptions extends ThreadKey {
  blobs: readonly BlobKey[]
}

/** Stores blobs of messages, which are read separately. A blob is saved with its message: see `SaveMessagesOptions`. */
export interface BlobStore {
  /** The blobs that exist, in the requested order. */
  getBlobs(options: GetBlobsOptions): Promise<MessageBlob[]>
}
