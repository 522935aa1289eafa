import {
  type Message,
  MillraceError,
  newestTurn,
  type ProcessInputStepArgs,
  type Processor,
  promptLimit,
  requireCount,
  type WarmUpArgs,
} from '@millrace/core'
import type { CountText } from '@millrace/tokens'
import { TokenCounters } from '../window/token-counters.ts'

export interface HistoryWindowOptions {
  /** Identifies the processor in results, events and errors. Default: `'history-window'`. */
  readonly id?: string
  /**
   * `{ messages }` or `{ tokens }`: the newest messages of the history. Default: half of what the context window
   * leaves for a prompt.
   */
  readonly keep?: { readonly messages: number } | { readonly tokens: number }
  /** The tokens of a text. Default: exact for OpenAI's models, else an estimate. */
  readonly countTokens?: CountText
  /** `'skip'` continues the run without the processor if it fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

/** What is known of a run. It is JSON. */
interface WindowState {
  /** The first message of the history that is shown; `null` if none is. */
  from?: string | null
}

/** The part of a prompt that the history may have where nothing else is said. */
const SHARE = 0.5

/**
 * Shows the model the newest messages of a history, for applications that keep their history themselves. This turn's messages,
 * and context of this run, always stay. What is shown begins at a user's message, and a tool call is there with its result or
 * not at all. It is the same in all steps of a run. The transcript, and what is stored, keep everything.
 */
export class HistoryWindow implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #keep: HistoryWindowOptions['keep']
  readonly #counters: TokenCounters

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor({ id = 'history-window', keep, countTokens, onError = 'fail' }: HistoryWindowOptions = {}) {
    this.id = id
    this.onError = onError
    this.#keep = keep === undefined ? undefined : checked(keep)
    this.#counters = new TokenCounters(countTokens)
  }

  /** Loads the table of tokens. */
  warmUp({ model }: WarmUpArgs): Promise<void> {
    return this.#counters.warmUp(model)
  }

  async processInputStep(args: ProcessInputStepArgs): Promise<Message[] | undefined> {
    const { messages, messageList } = args
    const state = args.state as WindowState
    const turn = newestTurn(messages, messageList)
    const history = messages
      .slice(0, Math.max(0, turn))
      .filter(({ id, role }) => role !== 'system' && messageList.originOf(id) !== 'context')
    if (history.length === 0) return undefined
    const known = state.from ? history.findIndex(({ id }) => id === state.from) : -1
    const start = known === -1 && state.from !== null ? await this.#startIn(history, args) : known
    state.from = history[start]?.id ?? null
    const gone = new Set(start === -1 ? history : history.slice(0, start))
    return gone.size === 0 ? undefined : messages.filter((message) => !gone.has(message))
  }

  /** Where the window begins; -1 where nothing is shown. */
  async #startIn(history: readonly Message[], args: ProcessInputStepArgs): Promise<number> {
    const keep = this.#keep ?? this.#byWindow(args)
    let start = history.length
    if ('messages' in keep) start = Math.max(0, history.length - keep.messages)
    else {
      const tokens = await this.#counters.for(args.model)
      for (let left = keep.tokens; start > 0; start--) {
        const message = history[start - 1] as Message
        await tokens.prepare([message], [])
        left -= tokens.of(message)
        if (left < 0) break
      }
    }
    return history.findIndex(({ role }, index) => index >= start && role === 'user')
  }

  #byWindow(args: ProcessInputStepArgs): { tokens: number } {
    const limit = promptLimit(args)
    if (limit !== undefined) return { tokens: Math.floor(SHARE * limit) }
    throw new MillraceError(
      'CONFIG_INVALID',
      `'${this.id}' does not know how much to keep. Give the agent the contextWindow of its model, or pass keep: { messages: … }.`,
    )
  }
}

function checked(keep: NonNullable<HistoryWindowOptions['keep']>): NonNullable<HistoryWindowOptions['keep']> {
  if (typeof keep === 'object' && keep !== null) {
    if ('messages' in keep) return { messages: requireCount('keep.messages', keep.messages, 0) }
    if ('tokens' in keep) return { tokens: requireCount('keep.tokens', keep.tokens, 0) }
  }
  throw new MillraceError(
    'CONFIG_INVALID',
    `keep is ${JSON.stringify(keep)}. Use { messages: 20 } or { tokens: 4000 }.`,
  )
}
