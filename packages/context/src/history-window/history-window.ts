import {
  type Message,
  MillraceError,
  newestTurn,
  type OptionNames,
  type ProcessInputStepArgs,
  type Processor,
  promptLimit,
  requireCount,
  requireOptions,
  type WarmUpArgs,
} from '@millrace/core'
import type { CountText } from '@millrace/tokens'
import { TokenCounters } from '../window/token-counters.ts'

export interface HistoryWindowOptions {
  /** Identifies the processor in results, events and errors. Default: `'history-window'`. */
  readonly id?: string
  /**
   * How much of the history to keep: the newest `{ messages }` or `{ tokens }`. Default: half of the prompt
   * that fits into the context window.
   */
  readonly keep?: { readonly messages: number } | { readonly tokens: number }
  /** Counts the tokens of a text. Default: exact for OpenAI's models, otherwise an estimate. */
  readonly countTokens?: CountText
  /** `'skip'` continues the run if the processor fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const HISTORY_WINDOW_OPTIONS: OptionNames<HistoryWindowOptions> = {
  id: 'optional',
  keep: 'optional',
  countTokens: 'optional',
  onError: 'optional',
}

/** The state of a run. JSON. */
interface WindowState {
  /** The id of the first message in the window; `null` if the window is empty. */
  from?: string | null
}

/** The default share of a prompt for the history. */
const SHARE = 0.5

/**
 * Shows the model only the newest messages of a history, for applications that store their history
 * themselves. The messages of this turn and its context are always kept. The window begins at a user message,
 * and never separates a tool call from its result. It stays the same in all steps of a run. The transcript
 * and the store keep all messages.
 */
export class HistoryWindow implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #keep: HistoryWindowOptions['keep']
  readonly #counters: TokenCounters

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: HistoryWindowOptions = {}) {
    const {
      id = 'history-window',
      keep,
      countTokens,
      onError = 'fail',
    } = requireOptions('HistoryWindow', options, HISTORY_WINDOW_OPTIONS)
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

  /** The index where the window begins; -1 if it is empty. */
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
      `'${this.id}' cannot calculate how much to keep, because the context window is unknown. Set contextWindow of the agent, or pass keep: { messages: … }.`,
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
