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

/** The user of this terminal. */
const resourceId = 'guest'

/** A word that approves (the first group), or one that denies. */
const DECISION = /^\s*(?:(yes|y)|no|n)[.!]?\s*$/i

/** Maximum length of a message's text in `remembered`. */
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
   * Executes a turn and shows its chunks. A turn that is blocked, stopped or fails is not stored. `yes` and `no` answer a
   * waiting run of the thread, also one of an earlier process.
   *
   * @throws The error that the run rejects with
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
            // For all calls that `request` shows.
            { approved: decision[1] !== undefined, all: true },
            { resourceId, abortSignal },
          )
        : this.#agent.stream(text, { threadId: this.#threadId, resourceId, abortSignal })
    for await (const chunk of stream.fullStream) show(chunk)
    return stream.result
  }

  /** The last user message as the model got it, after the guards. */
  get lastSeen(): string | undefined {
    return this.#agent.getLastMessages().findLast(({ role }) => role === 'user')?.content
  }

  /** The question of a waiting run of the thread, if there is one. */
  async request(): Promise<string | undefined> {
    const { payload } = (await this.#waiting()) ?? {}
    if (!isRecord(payload) || !Array.isArray(payload.toolCalls)) return undefined
    const calls = payload.toolCalls
      .filter(isRecord)
      .map(({ toolName, input }) => `${toolName} ${JSON.stringify(input)}`)
    return `Waits for your approval: ${calls.join(', ')}. Answer yes or no, now or after a restart.`
  }

  /** The waiting run of this thread; of several, the oldest. */
  async #waiting(): Promise<SuspendedRun | undefined> {
    const [run] = await this.#agent.suspendedRuns({ threadId: this.#threadId, resourceId })
    return run
  }

  /** A line about the stored thread, if there is one. */
  async beginning(): Promise<string | undefined> {
    const thread = await this.#memory.getThreadById({ threadId: this.#threadId, resourceId })
    if (!thread?.messageCount) return undefined
    return `Continues the thread '${this.#threadId}' with ${thread.messageCount} messages. --new starts another.`
  }

  /** The memory as lines: the thread as the model gets it, and the other threads. */
  async remembered(): Promise<string[]> {
    const messages = await this.#memory.rememberMessages({ threadId: this.#threadId, resourceId })
    const { items } = await this.#memory.getThreads({ resourceId, limit: 10 })
    const others = items.filter(({ id }) => id !== this.#threadId)
    return [
      `The thread '${this.#threadId}' as the model gets it:`,
      ...(messages.length === 0 ? ['  nothing yet'] : messages.map((message) => `  ${lineOf(message)}`)),
      ...others.map(({ id, messageCount }) => `Also stored: '${id}', ${messageCount} messages`),
    ]
  }
}

function lineOf({ role, content }: Message): string {
  const text = textOfParts(content.parts).replace(/\s+/g, ' ')
  return `${role}: ${text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text}`
}
