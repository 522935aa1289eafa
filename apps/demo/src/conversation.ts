import { type Agent, type ChunkType, type Message, type RunResult, userMessage } from '@millrace/core'

/** Turns with one agent that remember each other, in this process. */
export class Conversation {
  readonly #agent: Agent
  #history: Message[] = []

  constructor(agent: Agent) {
    this.#agent = agent
  }

  /**
   * Runs one turn and shows its chunks as they come. A turn that was blocked or failed leaves no trace in the history.
   *
   * @throws what the run rejects with
   */
  async turn(
    text: string,
    { show, abortSignal }: { show: (chunk: ChunkType) => void; abortSignal: AbortSignal },
  ): Promise<RunResult> {
    const message = userMessage(text)
    const stream = this.#agent.stream([...this.#history, message], { abortSignal })
    for await (const chunk of stream.fullStream) show(chunk)
    const result = await stream.result
    if (result.status !== 'tripwire' && result.messages.length > 0)
      this.#history.push(message, ...result.messages)
    return result
  }
}
