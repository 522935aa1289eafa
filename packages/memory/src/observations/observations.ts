import {
  type LanguageModel,
  type Message,
  MillraceError,
  type OptionNames,
  requireCount,
  requireOneOf,
  type Store,
  type ThreadKey,
} from '@millrace/core'
import { contextMessage, escapeClosingTag, STABLE_CONTEXT_ID } from '../context-message.ts'
import { beginAtUserMessage } from '../message-history/history-window.ts'
import { tokensOf } from '../message-history/message-tokens.ts'
import { newestMessages } from '../message-history/read-messages.ts'
import { readState, type StateKey, stateKeyOf } from '../stored-state.ts'
import { isNotable } from './is-notable.ts'
import { lineOf } from './observation.ts'
import { cutAfter } from './source-range.ts'
import {
  changeObservations,
  dropNotes,
  lastNotedSequence,
  type ObservationProgress,
  observationsOf,
  progressOf,
  type StoredObservation,
  type StoredObservations,
} from './stored-observations.ts'
import type { Observer, Reflector } from './take-notes.ts'

export interface ObservationsOptions {
  /** Counts the tokens of a text, such as `countTokens` of `@millrace/tokens`. */
  countTokens: (text: string) => number | Promise<number>
  /** Token limit for all notes. When they exceed it, a model merges them into half of it. Default: 4,000. */
  maxTokens?: number | undefined
  /**
   * Notes are taken when the messages without notes have this many tokens; with 0, after each turn. Default:
   * 2,000.
   */
  batchTokens?: number | undefined
  /**
   * How many tokens of messages that already have notes are also shown word for word: the newest whole turns.
   * Default: 2,000.
   */
  keepTokens?: number | undefined
  /**
   * `thread`: each thread has its own notes. `resource`: all threads of a resource share their notes. Without
   * a resource it is always `thread`. Default: `thread`.
   */
  scope?: 'resource' | 'thread' | undefined
  /** The model that takes and merges notes. Default: the agent's model. */
  model?: LanguageModel | undefined
  /** A function that takes notes instead of the model. Default: none. */
  observe?: Observer | undefined
  /** A function that merges notes instead of the model. Default: none. */
  reflect?: Reflector | undefined
}

export const OBSERVATIONS_OPTIONS: OptionNames<ObservationsOptions> = {
  countTokens: 'required',
  maxTokens: 'optional',
  batchTokens: 'optional',
  keepTokens: 'optional',
  scope: 'optional',
  model: 'optional',
  observe: 'optional',
  reflect: 'optional',
}

/** The history of a thread that the model receives. */
export interface ObservedHistory {
  /** The notes, as a context message. */
  notes: Message | undefined
  /** The messages without notes, and the newest with notes, oldest first. */
  messages: Message[]
  /** The sequence number of the newest message that was read. */
  newest: number
  /** The tokens of messages without notes. */
  unread: number
  /** Whether there are notes of messages that this regenerated turn removes. */
  isStale: boolean
}

const TAG = 'observations'

/**
 * If messages exceed this many times the tokens to show, the oldest are left out: taking notes of them has
 * failed.
 */
const MAX_OVERFLOW = 2

/**
 * Keeps dated notes of what was said, and shows them with the newest messages, so that a whole thread or
 * resource fits into a bounded number of tokens. Notes are append-only until the reflector merges them, so
 * that providers can cache the beginning of the prompt. The messages stay in the store and can still be
 * searched.
 */
export class Observations {
  readonly #countTokens: ObservationsOptions['countTokens']
  readonly #maxTokens: number
  readonly #batchTokens: number
  readonly #keepTokens: number
  readonly #scope: 'resource' | 'thread'
  readonly #options: ObservationsOptions

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: ObservationsOptions) {
    const { maxTokens = 4_000, batchTokens = 2_000, keepTokens = 2_000, scope = 'thread' } = options
    this.#options = options
    this.#maxTokens = requireCount('observations.maxTokens', maxTokens, 1)
    this.#batchTokens = requireCount('observations.batchTokens', batchTokens, 0)
    this.#keepTokens = requireCount('observations.keepTokens', keepTokens, 0)
    requireOneOf('observations.scope', scope, ['resource', 'thread'])
    this.#scope = scope
    this.#countTokens = options.countTokens
    for (const name of ['countTokens', 'observe', 'reflect'] as const) {
      if (typeof options[name] === 'function' || (name !== 'countTokens' && options[name] === undefined))
        continue
      throw new MillraceError('CONFIG_INVALID', `observations.${name} must be a function.`)
    }
  }

  stateKeyOf(key: ThreadKey): StateKey {
    return stateKeyOf(key, this.#scope)
  }

  /** @param options.before Reads only the messages before the one with this id: for a regenerated turn */
  async read(
    storage: Store,
    key: ThreadKey,
    { before }: { before?: string | undefined } = {},
  ): Promise<ObservedHistory> {
    const { stored, part } = await this.#readNotes(storage, key)
    const through = Math.max(part.through, lastNotedSequence(key, stored))
    const since = await this.#shown(storage, key, { before, shownFrom: part.shownFrom, through })
    const { newest } = since
    const isStale = through > newest
    const isGone = isStale && part.shownFrom > newest
    const { messages, unread } = isGone
      ? await this.#shown(storage, key, { before, shownFrom: 0, through })
      : since
    const visible = isStale ? dropNotes(stored, cutAfter(key.threadId, newest)) : undefined
    const notes = await this.#message((visible ?? stored).notes)
    return { notes, messages, newest, unread, isStale }
  }

  /** Deletes the notes of messages that a regenerated turn removes. */
  async dropNotesAfter(storage: Store, key: ThreadKey, newest: number): Promise<void> {
    const { threadId } = key
    const stateKey = this.stateKeyOf(key)
    await changeObservations(storage, stateKey, (stored) => {
      const left = dropNotes(stored, cutAfter(threadId, newest))
      return left && { stored: left }
    })
    await changeObservations(storage, { ...key }, (_, part) =>
      part.through > newest
        ? { part: { through: newest, shownFrom: part.shownFrom > newest ? 0 : part.shownFrom } }
        : undefined,
    )
  }

  /**
   * Takes notes of messages without notes, if they have enough tokens, and merges notes that exceed the
   * limit. Nothing changes if the model fails, or if another writer has changed the notes in the meantime.
   *
   * @param options.model The agent's model
   * @param options.newest The sequence number of the newest message when the turn began. Notes of later
   *   messages are deleted, because the turn may have removed these
   * @param options.unread The known number of tokens without notes. Below `batchTokens`, no messages are read
   * @param options.all Takes notes even of fewer than `batchTokens` tokens
   * @throws MillraceError `CONFIG_INVALID` if there is neither a model nor a function to take notes
   */
  async observe(
    storage: Store,
    key: ThreadKey,
    {
      model: agentModel,
      newest,
      unread = Number.POSITIVE_INFINITY,
      all = false,
    }: {
      model?: LanguageModel | undefined
      newest?: number | undefined
      unread?: number | undefined
      all?: boolean
    },
  ): Promise<void> {
    const model = this.#options.model ?? agentModel
    // Loaded on first use, so that an agent starts without it.
    const [{ NoteTaker }, { observeWith, reflectWith }] = await Promise.all([
      import('./note-taker.ts'),
      import('./take-notes.ts'),
    ])
    const { observe = observeWith(model), reflect = reflectWith(model) } = this.#options
    if (newest !== undefined) {
      const { stored, part } = await this.#readNotes(storage, key)
      if (Math.max(part.through, lastNotedSequence(key, stored)) > newest)
        await this.dropNotesAfter(storage, key, newest)
    }
    const taker = new NoteTaker(storage, {
      key,
      stateKey: this.stateKeyOf(key),
      countTokens: this.#countTokens,
      maxTokens: this.#maxTokens,
      batchTokens: this.#batchTokens,
      keepTokens: this.#keepTokens,
      observe,
      reflect,
    })
    await taker.observe({ unread, all })
  }

  /** Counts the tokens of messages. */
  async tokensOf(messages: readonly Message[]): Promise<number> {
    let tokens = 0
    for (const message of messages) tokens += await tokensOf(message, this.#countTokens)
    return tokens
  }

  async #readNotes(
    storage: Store,
    key: ThreadKey,
  ): Promise<{ stored: StoredObservations; part: ObservationProgress }> {
    const thread = await readState(storage, { ...key })
    const stateKey = this.stateKeyOf(key)
    const notes = stateKey.threadId === undefined ? await readState(storage, stateKey) : thread
    return { stored: observationsOf(notes), part: progressOf(thread) }
  }

  /**
   * The messages from a sequence number on, or only the newest if they exceed the limit, with the sequence
   * number of the newest one.
   */
  async #shown(
    storage: Store,
    key: ThreadKey,
    { before, shownFrom, through }: { before: string | undefined; shownFrom: number; through: number },
  ): Promise<{ messages: Message[]; newest: number; unread: number }> {
    const most = MAX_OVERFLOW * (this.#keepTokens + this.#batchTokens)
    const newestFirst: Message[] = []
    let tokens = 0
    let unread = 0
    let newest = 0
    let isCut = false
    for await (const { message, sequence } of newestMessages(storage, key, { before })) {
      newest = Math.max(newest, sequence)
      isCut = sequence < shownFrom
      if (isCut) break
      if (!isNotable({ message })) continue
      const size = await tokensOf(message, this.#countTokens)
      tokens += size
      if (sequence > through) unread += size
      isCut = tokens > most && newestFirst.length > 0
      if (isCut) break
      newestFirst.push(message)
    }
    const messages = newestFirst.reverse()
    return { messages: isCut ? beginAtUserMessage(messages) : messages, newest, unread }
  }

  /**
   * The newest notes that fit, oldest first. The text stays the same between runs until notes are added or
   * merged.
   */
  async #message(notes: readonly StoredObservation[]): Promise<Message | undefined> {
    const shown: string[] = []
    let left = this.#maxTokens
    for (const note of notes.toReversed()) {
      const line = lineOf(note)
      left -= await this.#countTokens(line)
      if (left < 0) break
      shown.push(line)
    }
    if (shown.length === 0) return undefined
    return contextMessage({
      id: STABLE_CONTEXT_ID,
      tag: TAG,
      about: 'Notes on what was said earlier.',
      body: escapeClosingTag(shown.toReversed().join('\n'), TAG),
    })
  }
}
