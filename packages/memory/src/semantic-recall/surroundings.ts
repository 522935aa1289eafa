import type { StoredMessage } from '@millrace/core'

/** How many neighbours come with a message. */
export interface MessageRange {
  before: number
  after: number
}

/** Some messages with what stands right around them in their threads, as they were read once. */
export class Surroundings {
  /** By thread, and in it oldest first. */
  readonly messages: readonly StoredMessage[]
  readonly #centres: ReadonlySet<string>
  readonly #reach: number

  /**
   * @param centres The messages that were asked for
   * @param messages They and so many neighbours on either side, as the store gives them
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
   * Some of the messages with their neighbours, as the store would give them: by thread, in the order given, and in it oldest
   * first. `undefined` if the store has to be asked.
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

/** Tells the messages of all threads apart. */
export function keyOf({ message: { id, threadId = '' } }: StoredMessage): string {
  return `${threadId.length} ${threadId}${id}`
}
