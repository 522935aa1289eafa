/** Messages that are copies of messages of another thread of the resource. */
export interface VectorSource {
  /** The thread of the originals. */
  threadId: string
  messages: readonly { messageId: string; originalId: string }[]
}
