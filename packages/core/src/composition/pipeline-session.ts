import type { LanguageModelV4Message } from '@ai-sdk/provider'
import type { Message, SystemMessage } from '../messages/message.ts'
import type { MessageList, MessageOrigin } from '../transcript/message-list.ts'

/**
 * State that is kept between {@link ProcessorPipeline}s of a conversation, if each is one model call: the `state` of
 * the processors, and the messages as they left them. `processInput` is then called once per turn, however many model
 * calls it takes, and a message is not reviewed again in every call. Pass the same session to one pipeline after the
 * other. It grows with the conversation, and is owned by the caller.
 */
export class PipelineSession {
  /** Processor state by processor id, made unique if another instance has the same id. */
  readonly states: Map<string, Record<string, unknown>> = new Map()
  #known: ReadMessage[] = []
  #read: ReadMessage[] = []
  #left: TurnTranscript | undefined
  /** The system messages of the last call, as JSON. */
  #system = ''
  readonly #reviewed = new WeakSet<Message>()

  /** Replaces the messages at the start that are the same as in the last call by those that the processors left. */
  recall(read: readonly ReadMessage[]): ReadMessage[] {
    let same = true
    this.#read = read.map((entry, index) => {
      const known = this.#known[index]
      same &&= known !== undefined && known.json === entry.json
      return same && known ? known : entry
    })
    return this.#read
  }

  /**
   * The transcript of the turn that these messages continue; `undefined` if they begin another turn, or have other
   * system messages.
   */
  continued(
    messages: readonly Message[],
    systemMessages: readonly SystemMessage[],
  ): TurnTranscript | undefined {
    const newest = messages.findLast(({ role }) => role === 'user')
    const system = JSON.stringify(systemMessages)
    const isSame = system === this.#system
    this.#system = system
    if (!this.#left || !newest || newest !== this.#left.newest || !isSame) return undefined
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

  /** Whether the tool results in this message were reviewed. */
  isReviewed(message: Message): boolean {
    return this.#reviewed.has(message)
  }

  /** Stores the messages as the processors left them. */
  keep(messageList: MessageList, systemMessages: readonly SystemMessage[]): void {
    this.#known = []
    for (const entry of this.#read) {
      const message = messageList.find(entry.message.id)
      // From the first removed message on, everything is reviewed again.
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

/** The transcript of a turn, as the processors left it. */
interface TurnTranscript {
  readonly newest: Message
  readonly systemMessages: readonly SystemMessage[]
  readonly messages: readonly { message: Message; origin: MessageOrigin }[]
}

function withOrigins(messageList: MessageList): { message: Message; origin: MessageOrigin }[] {
  return messageList
    .get()
    .map((message) => ({ message, origin: messageList.originOf(message.id) as MessageOrigin }))
}

/** A message, with the part of a prompt from which it was read. */
export interface ReadMessage {
  readonly message: Message
  /** By step; `undefined` if the message was changed, or cannot be divided into steps. */
  readonly steps: readonly (readonly LanguageModelV4Message[])[] | undefined
  /** The JSON it was read from, to recognize it. */
  readonly json: string
}
