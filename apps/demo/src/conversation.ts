import {
  type Agent,
  type Chunk,
  isRecord,
  type Message,
  type RunResult,
  type SuspendedRun,
  textOfParts,
} from '@millrace/core'
import type { Memory } from '@millrace/memory'
import { newThreadId } from './demo-memory.ts'

/** Whose conversations these are: everybody's who sits at this terminal. */
const resourceId = 'guest'

/** A word that approves, which is the first group, or one that denies. */
const DECISION = /^\s*(?:(yes|y)|no|n)[.!]?\s*$/i

/** The longest text of a message in `remembered`. */
const MAX_TEXT = 70

/** Turns with one agent in one thread of its memory. */
export class Conversation {
  readonly #agent: Agent
  readonly #memory: Memory
  #threadId: string

  constructor({ agent, memory, threadId }: { agent: Agent; memory: Memory; threadId: string }) {
    this.#agent = agent
    this.#memory = memory
    this.#threadId = threadId
  }

  startNew(): void {
    this.#threadId = newThreadId()
  }

  /**
   * Runs one turn and shows its chunks as they come. A turn that was blocked, stopped or failed leaves no trace. `yes` and `no` answer a run of
   * the conversation that waits for approval, perhaps since an earlier start.
   *
   * @throws what the run rejects with
   */
  async turn(
    text: string,
    { show, abortSignal }: { show: (chunk: Chunk) => void; abortSignal: AbortSignal },
  ): Promise<RunResult> {
    const decision = DECISION.exec(text)
    const waiting = decision ? await this.#waiting() : undefined
    const stream =
      decision && waiting
        ? this.#agent.resume(
            waiting.runId,
            { approved: decision[1] !== undefined },
            { resourceId, abortSignal },
          )
        : this.#agent.stream(text, { threadId: this.#threadId, resourceId, abortSignal })
    for await (const chunk of stream.fullStream) show(chunk)
    return stream.result
  }

  /** What the model was asked last, in the user's words as the guards left them. */
  get lastSeen(): string | undefined {
    return this.#agent.getLastMessages().findLast(({ role }) => role === 'user')?.content
  }

  /** Asks for what a run of the conversation waits for, if one does. */
  async request(): Promise<string | undefined> {
    const { payload } = (await this.#waiting()) ?? {}
    if (!isRecord(payload) || !Array.isArray(payload.toolCalls)) return undefined
    const calls = payload.toolCalls
      .filter(isRecord)
      .map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`)
    return `Waits for you: ${calls.join(', ')}. Answer yes or no, now or after a restart.`
  }

  /** The run that waits in this thread; of several, the one that has waited longest. */
  async #waiting(): Promise<SuspendedRun | undefined> {
    const [run] = await this.#agent.suspendedRuns({ threadId: this.#threadId, resourceId })
    return run
  }

  /** Says what the conversation goes on with, if there is anything. */
  async beginning(): Promise<string | undefined> {
    const thread = await this.#memory.getThreadById({ threadId: this.#threadId, resourceId })
    if (!thread?.messageCount) return undefined
    return `Goes on with the thread '${this.#threadId}', ${thread.messageCount} messages long. --new begins another.`
  }

  /** What is remembered, line by line: the thread as the model is shown it, and the other threads. */
  async remembered(): Promise<string[]> {
    const messages = await this.#memory.rememberMessages({ threadId: this.#threadId, resourceId })
    const { items } = await this.#memory.getThreads({ resourceId, limit: 10 })
    const others = items.filter(({ id }) => id !== this.#threadId)
    return [
      `The thread '${this.#threadId}', as the model is shown it:`,
      ...(messages.length === 0 ? ['  nothing yet'] : messages.map((message) => `  ${lineOf(message)}`)),
      ...others.map(({ id, messageCount }) => `Also stored: '${id}', ${messageCount} messages`),
    ]
  }
}

function lineOf({ role, content }: Message): string {
  const text = textOfParts(content.parts).replace(/\s+/g, ' ')
  return `${role}: ${text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text}`
}
