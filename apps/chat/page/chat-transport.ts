import { DefaultChatTransport } from 'ai'
import { CHAT_ADDRESS } from './api.ts'
import type { ChatMessage } from './chat-message.ts'

type Reconnect = DefaultChatTransport<ChatMessage>['reconnectToStream']

/** The AI SDK's transport to the agent, which also reconnects to the answer of a run that was resumed. */
export class ChatTransport extends DefaultChatTransport<ChatMessage> {
  readonly #onNoStream: () => void

  /** @param onNoStream Called where there is no answer to reconnect to: it may have ended a moment ago. */
  constructor(onNoStream: () => void) {
    super({ api: CHAT_ADDRESS })
    this.#onNoStream = onNoStream
  }

  override async reconnectToStream(...args: Parameters<Reconnect>): ReturnType<Reconnect> {
    const stream = await super.reconnectToStream(...args)
    if (!stream) {
      this.#onNoStream()
      return null
    }
    return stream.pipeThrough(
      new TransformStream({
        transform(chunk, controller) {
          // Without an id it continues a message that the page has; the SDK would empty that message first.
          if (chunk.type !== 'start' || chunk.messageId !== undefined) controller.enqueue(chunk)
        },
      }),
    )
  }
}
