import { DefaultChatTransport } from 'ai'
import { CHAT_ADDRESS } from './api.ts'
import type { ChatMessage } from './chat-message.ts'

type Reconnect = DefaultChatTransport<ChatMessage>['reconnectToStream']

/** The AI SDK's transport to the agent. Reports if there is no answer to reconnect to. */
export class ChatTransport extends DefaultChatTransport<ChatMessage> {
  readonly #onNoStream: () => void

  /** @param onNoStream Called if there is no answer to reconnect to, because it may just have ended. */
  constructor(onNoStream: () => void) {
    super({ api: CHAT_ADDRESS })
    this.#onNoStream = onNoStream
  }

  override async reconnectToStream(...args: Parameters<Reconnect>): ReturnType<Reconnect> {
    const stream = await super.reconnectToStream(...args)
    if (!stream) this.#onNoStream()
    return stream
  }
}
