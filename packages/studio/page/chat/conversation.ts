import {
  type ChatEvents,
  type ChatRequest,
  type ReaderEntry,
  ROUTES,
  type RunEvents,
  type RunSummary,
} from '../../src/wire.ts'
import { requestEvents } from '../api/request.ts'
import { withEntries } from '../api/run-events.ts'
import { messageOf } from '../parts/empty.tsx'

export interface Turn {
  /** Missing if the turn continues a suspended run. */
  question?: string
  runId?: string
  /** What the reader sees of the answer. */
  entries: readonly ReaderEntry[]
  /** Missing until the answer is complete. */
  end?: RunSummary
  /** The error, if there is no answer. */
  error?: string
}

export interface ConversationState {
  turns: readonly Turn[]
  isBusy: boolean
}

/** A conversation with one agent. It continues while other pages are open. */
export class Conversation {
  readonly #agent: string
  readonly #listeners = new Set<() => void>()
  #state: ConversationState = { turns: [], isBusy: false }
  #threadId: string | undefined
  #leave: AbortController | undefined

  constructor(agent: string) {
    this.#agent = agent
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly getState = (): ConversationState => this.#state

  /** Sends a message in the thread of this conversation. */
  async ask(request: Omit<ChatRequest, 'threadId'>): Promise<void> {
    const body: ChatRequest = {
      ...request,
      ...(this.#threadId !== undefined && { threadId: this.#threadId }),
    }
    await this.#read({ question: request.text, entries: [] }, async (signal) => {
      const params = { agent: this.#agent }
      for await (const event of requestEvents<ChatEvents>(ROUTES.chat, { params, body, signal })) {
        if (event.name === 'started') {
          this.#threadId = event.data.threadId ?? this.#threadId
          this.#change({ runId: event.data.runId })
        } else if (event.name === 'reader') this.#add(event.data)
        else this.#change({ end: event.data })
      }
    })
  }

  /** Follows the run that continues a suspended one. */
  async follow(runId: string): Promise<void> {
    await this.#read({ runId, entries: [] }, async (signal) => {
      const params = { runId }
      for await (const event of requestEvents<RunEvents>(ROUTES.runEvents, { params, signal })) {
        if (event.name === 'run') this.#add(event.data.reader)
        else if (event.name === 'reader') this.#add(event.data)
        else if (event.name === 'end') this.#change({ entries: event.data.reader, end: event.data })
      }
    })
  }

  /** Starts a new thread. */
  clear(): void {
    this.#leave?.abort()
    this.#threadId = undefined
    this.#set({ turns: [], isBusy: false })
  }

  async #read(turn: Turn, read: (signal: AbortSignal) => Promise<void>): Promise<void> {
    this.#leave?.abort()
    const leave = new AbortController()
    this.#leave = leave
    this.#set({ turns: [...this.#state.turns, turn], isBusy: true })
    try {
      await read(leave.signal)
      const { end, error } = this.#state.turns.at(-1) ?? {}
      if (!end && error === undefined && !leave.signal.aborted)
        this.#change({ error: 'The answer was interrupted. Send the message again.' })
    } catch (cause) {
      if (!leave.signal.aborted) this.#change({ error: messageOf(cause) })
    }
    if (this.#leave === leave) this.#set({ ...this.#state, isBusy: false })
  }

  #add(entries: readonly ReaderEntry[]): void {
    this.#change({ entries: withEntries(this.#state.turns.at(-1)?.entries ?? [], entries) })
  }

  /** Updates the last turn. */
  #change(change: Partial<Turn>): void {
    const last = this.#state.turns.at(-1)
    if (last)
      this.#set({ ...this.#state, turns: [...this.#state.turns.slice(0, -1), { ...last, ...change }] })
  }

  #set(state: ConversationState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

const conversations = new Map<string, Conversation>()

export function conversationWith(agent: string): Conversation {
  const known = conversations.get(agent)
  if (known) return known
  const conversation = new Conversation(agent)
  conversations.set(agent, conversation)
  return conversation
}
