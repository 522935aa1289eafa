import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { Message } from '../messages/message.ts'
import type { MessageList } from '../transcript/message-list.ts'

/**
 * What is kept of a conversation from one {@link ProcessorPipeline} to the next, where each is one call of a model: the
 * `state` of the processors, and what they left of the messages, so that a message is not reviewed again in every call. The
 * pipelines are given the same session, one after the other. It grows with the conversation, and is held by its owner alone.
 */
export class PipelineSession {
  /** By processor: its id; where another instance has the same, made unique. */
  readonly states: Map<string, Record<string, unknown>> = new Map()
  #known: ReadMessage[] = []
  #read: ReadMessage[] = []
  readonly #reviewed = new WeakSet<Message>()

  /** What the processors left of messages that begin the conversation as they did in the last call; they leave the others. */
  recall(read: readonly ReadMessage[]): ReadMessage[] {
    let same = true
    this.#read = read.map((entry, index) => {
      const known = this.#known[index]
      same &&= known !== undefined && known.json === entry.json
      return same && known ? known : entry
    })
    return this.#read
  }

  /** Whether the results of tools in this message have been reviewed. */
  isReviewed(message: Message): boolean {
    return this.#reviewed.has(message)
  }

  /** Keeps what the processors have left. */
  keep(messageList: MessageList): void {
    this.#known = []
    for (const entry of this.#read) {
      const message = messageList.find(entry.message.id)
      // From a message that was left out on, all is reviewed again.
      if (!message) break
      this.#reviewed.add(message)
      this.#known.push(message === entry.message ? entry : { ...entry, message, steps: undefined })
    }
    this.#read = []
  }
}

/** A message with the part of a prompt that it was read from. */
export interface ReadMessage {
  readonly message: Message
  /** By step; `undefined` where the message is not as it was read, or cannot be told apart by steps. */
  readonly steps: readonly (readonly LanguageModelV4Message[])[] | undefined
  /** What it was read from, to know it again. */
  readonly json: string
}
