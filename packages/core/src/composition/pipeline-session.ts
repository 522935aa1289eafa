import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { MessageList, MessageOrigin } from '../transcript/message-list.ts'

/**
 * What is kept of a conversation from one {@link ProcessorPipeline} to the next, where each is one call of a model: the
 * `state` of the processors, and what they left of the messages. So `processInput` is asked once for a turn, however many
 * calls it takes, and a message is not reviewed again in every call. The pipelines are given the same session, one after the
 * other. It grows with the conversation, and is held by its owner alone.
 */
export class PipelineSession {
  /** By processor: its id; where another instance has the same, made unique. */
  readonly states: Map<string, Record<string, unknown>> = new Map()
  #known: ReadMessage[] = []
  #read: ReadMessage[] = []
  #left: LeftTranscript | undefined
  readonly #reviewed = new WeakSet<Message>()

  /** What the processors left of messages that begin the conversation as they did in the last call; the others as read. */
  recall(read: readonly ReadMessage[]): ReadMessage[] {
    let same = true
    this.#read = read.map((entry, index) => {
      const known = this.#known[index]
      same &&= known !== undefined && known.json === entry.json
      return same && known ? known : entry
    })
    return this.#read
  }

  /** The transcript of the turn that these messages continue; `undefined` where they begin another. */
  continued(messages: readonly Message[]): LeftTranscript | undefined {
    const newest = messages.findLast(({ role }) => role === 'user')
    if (!this.#left || !newest || newest !== this.#left.newest) return undefined
    const gone = new Set(this.#known.map(({ message }) => message.id))
    for (const { id } of messages) gone.delete(id)
    const known = new Set(this.#left.messages.map(({ message }) => message.id))
    return {
      ...this.#left,
      messages: [
        ...this.#left.messages.filter(({ message }) => !gone.has(message.id)),
        ...messages
          .filter(({ id }) => !known.has(id))
          .map((message) => ({ message, origin: 'input' as const })),
      ],
    }
  }

  /** Whether the results of tools in this message have been reviewed. */
  isReviewed(message: Message): boolean {
    return this.#reviewed.has(message)
  }

  /** Keeps what the processors have left. */
  keep(messageList: MessageList, systemMessages: readonly SystemMessage[]): void {
    this.#known = []
    for (const entry of this.#read) {
      const message = messageList.find(entry.message.id)
      // From a message that was left out on, all is reviewed again.
      if (!message) break
      this.#reviewed.add(message)
      this.#known.push(message === entry.message ? entry : { ...entry, message, steps: undefined })
    }
    const isWhole = this.#known.length === this.#read.length
    const newest = this.#known.findLast(({ message }) => message.role === 'user')?.message
    this.#left =
      isWhole && newest ? { newest, systemMessages, messages: withOrigins(messageList) } : undefined
    this.#read = []
  }
}

/** What the processors have left of a turn. */
interface LeftTranscript {
  readonly newest: Message
  readonly systemMessages: readonly SystemMessage[]
  readonly messages: readonly { message: Message; origin: MessageOrigin }[]
}

function withOrigins(messageList: MessageList): { message: Message; origin: MessageOrigin }[] {
  return messageList
    .get()
    .map((message) => ({ message, origin: messageList.originOf(message.id) as MessageOrigin }))
}

/** A message with the part of a prompt that it was read from. */
export interface ReadMessage {
  readonly message: Message
  /** By step; `undefined` where the message is not as it was read, or cannot be told apart by steps. */
  readonly steps: readonly (readonly LanguageModelV4Message[])[] | undefined
  /** What it was read from, to know it again. */
  readonly json: string
}
