import type { StoredMessage } from '@millrace/core'

/** How many neighbours come with a message. */
export interface MessageRange {
  before: number
  after: number
}

/** A cache of messages and their neighbors, read in one query. */
export class Surroundings {
  /** Grouped by thread, oldest first within a thread. */
  readonly messages: readonly StoredMessage[]
  readonly #centres: ReadonlySet<string>
  readonly #reach: number

  /**
   * @param centres The messages that were requested
   * @param messages These messages and `neighbours` of them on either side, as the store returned them
   */
  constructor(
    centres: readonly StoredMessage[],
    { messages, reach }: { messages: readonly StoredMessage[]; reach: number },
  ) {
    this.messages = messages
    this.#centres = new Set(centres.map(keyOf))
    this.#reach = reach
  }

  /**
   * Some of the messages with their neighbors, as the store would return them: grouped by thread in the given
   * order, oldest first within a thread. `undefined` if the cache does not have all of them.
   */
  around(found: readonly StoredMessage[], { before, after }: MessageRange): StoredMessage[] | undefined {
    if (before > this.#reach || after > this.#reach) return undefined
    const wanted = new Set(found.map(keyOf))
    for (const key of wanted) if (!this.#centres.has(key)) return undefined
    const byThread = new Map(found.map(({ message }) => [message.threadId, new Set<StoredMessage>()]))
    for (const [index, centre] of this.messages.entries()) {
      if (!wanted.has(keyOf(centre))) continue
      const { threadId } = centre.message
      for (const near of this.messages.slice(Math.max(index - before, 0), index + after + 1)) {
        if (near.message.threadId === threadId) byThread.get(threadId)?.add(near)
      }
    }
    return [...byThread.values()].flatMap((own) => [...own])
  }
}

/** A key that is unique over all threads. */
export function keyOf({ message: { id, threadId = '' } }: StoredMessage): string {
  return `${threadId.length} ${threadId}${id}`
}
