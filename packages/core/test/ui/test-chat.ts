import { AbstractChat, type ChatInit, type ChatState, type ChatTransport, type UIMessage } from 'ai'

/** The AI SDK's chat, as `useChat` runs it, with its state in plain fields. */
export class TestChat extends AbstractChat<UIMessage> {
  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    super({ ...init, state: new PlainState(messages) })
  }

  /** Resolves when nothing is under way, automatic requests included. */
  async settled(): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      await new Promise((resolve) => setImmediate(resolve))
      quiet = this.status === 'submitted' || this.status === 'streaming' ? 0 : quiet + 1
    }
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise((resolve) => setImmediate(resolve))
  }

  /** The parts of the last message. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into parts of any kind
  get parts(): any[] {
    return this.lastMessage?.parts ?? []
  }
}

class PlainState implements ChatState<UIMessage> {
  status: ChatState<UIMessage>['status'] = 'ready'
  error: Error | undefined = undefined
  messages: UIMessage[]

  constructor(messages: UIMessage[]) {
    this.messages = messages
  }

  pushMessage = (message: UIMessage): void => {
    this.messages = [...this.messages, message]
  }
  popMessage = (): void => {
    this.messages = this.messages.slice(0, -1)
  }
  replaceMessage = (index: number, message: UIMessage): void => {
    this.messages = this.messages.with(index, this.snapshot(message))
  }
  snapshot = <T>(thing: T): T => structuredClone(thing)
}

type Sent = Parameters<ChatTransport<UIMessage>['sendMessages']>[0]

/** A transport without HTTP. What is sent and what comes back goes through JSON, as it would over the wire. */
export function directTransport(
  respond: (sent: Sent) => Response | Promise<Response>,
): ChatTransport<UIMessage> & { sent: UIMessage[][] } {
  const sent: UIMessage[][] = []
  return {
    sent,
    async sendMessages(request) {
      const messages: UIMessage[] = JSON.parse(JSON.stringify(request.messages))
      sent.push(messages)
      const { body } = await respond({ ...request, messages })
      if (!body) throw new Error('The response has no body.')
      return body.pipeThrough(new TextDecoderStream()).pipeThrough(eventsToChunks())
    },
    reconnectToStream: async () => null,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the chat checks what it reads
function eventsToChunks(): TransformStream<string, any> {
  let rest = ''
  return new TransformStream({
    transform(text, controller) {
      const events = (rest + text).split('\n\n')
      rest = events.pop() ?? ''
      for (const event of events) {
        const data = event.slice('data: '.length)
        if (data !== '[DONE]') controller.enqueue(JSON.parse(data))
      }
    },
  })
}
