import {
  type Message,
  MillraceError,
  type OptionNames,
  type Store,
  type StoredMessage,
  type ThreadKey,
} from '@millrace/core'
import { tokensOf } from './message-tokens.ts'
import { newestMessages } from './read-messages.ts'

/** How much of a thread the model receives. */
export interface HistoryWindowOptions {
  /**
   * How many of the last messages the model receives; `false` for none. They begin with a user message: if
   * the window begins in the middle of a turn, the rest of that turn is left out. If the window has no user
   * message, the last turn is included whole, if it begins among the 200 messages before. Default: 20; with
   * `maxTokens`, no limit.
   */
  lastMessages?: number | false | undefined
  /**
   * The maximum number of tokens of the messages. Only whole messages are included, beginning with a user
   * message. If the last turn does not fit, no message is included. Default: no limit.
   */
  maxTokens?: number | undefined
  /** Counts the tokens of a text, such as `countTokens` of `@millrace/tokens`. Required with `maxTokens`. */
  countTokens?: ((text: string) => number | Promise<number>) | undefined
  /**
   * For how many earlier turns the model receives the files that are stored outside messages. For older turns
   * it receives only the names of the files. Default: 2.
   */
  keepFiles?: number | undefined
  /**
   * Shows the author of each user message, from its `metadata.speaker`: for threads of several users. Pass
   * it as `userMessageMetadata`, from the signed-in user. Default: false.
   */
  showNames?: boolean | undefined
  /** Also includes stored system messages, after the agent's own. Default: false. */
  includeSystemMessages?: boolean | undefined
}

export const HISTORY_WINDOW_OPTIONS: OptionNames<HistoryWindowOptions> = {
  lastMessages: 'optional',
  maxTokens: 'optional',
  countTokens: 'optional',
  keepFiles: 'optional',
  showNames: 'optional',
  includeSystemMessages: 'optional',
}

/** Reads the part of a thread that the model receives. */
export class HistoryWindow {
  readonly #last: number
  readonly #maxTokens: number
  readonly #countTokens: (text: string) => number | Promise<number>
  readonly #includeSystemMessages: boolean

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: HistoryWindowOptions) {
    const { lastMessages, maxTokens, countTokens = () => 0, includeSystemMessages = false } = options
    checkLimit('lastMessages', lastMessages === false ? 0 : lastMessages)
    checkLimit('maxTokens', maxTokens)
    if (maxTokens !== undefined && !options.countTokens) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'maxTokens is set without countTokens. Set countTokens to a function that counts the tokens of a text.',
      )
    }
    this.#last = lastMessages === false ? 0 : (lastMessages ?? (maxTokens === undefined ? 20 : Infinity))
    this.#maxTokens = maxTokens ?? Number.POSITIVE_INFINITY
    this.#countTokens = countTokens
    this.#includeSystemMessages = includeSystemMessages
  }

  /**
   * The messages, oldest first.
   *
   * @param options.before Reads only the messages before the one with this id: for a regenerated turn
   * @param options.last Overrides `lastMessages`
   */
  async read(
    storage: Store,
    key: ThreadKey,
    { before, last = this.#last }: { before?: string | undefined; last?: number | undefined } = {},
  ): Promise<Message[]> {
    const newestFirst: Message[] = []
    let tokensLeft = this.#maxTokens
    let messagesLeft = last
    let isCut = false
    let hasUser = false
    for await (const { message } of lastMessages(storage, key, { last, before, isEnough: () => hasUser })) {
      if (--messagesLeft < 0) isCut = true
      if (isCut && hasUser) break
      if (message.role === 'system' && !this.#includeSystemMessages) continue
      if (tokensLeft !== Number.POSITIVE_INFINITY) {
        tokensLeft -= await tokensOf(message, this.#countTokens)
        if (tokensLeft < 0) {
          isCut = true
          break
        }
      }
      newestFirst.push(message)
      hasUser ||= message.role === 'user'
    }
    const messages = newestFirst.reverse()
    return isCut ? beginAtUserMessage(messages) : messages
  }
}

/** If the window has no user message, one is searched for among this many messages before it. */
const LONGEST_TURN = 200

/** The last `last` messages and one more, newest first; then older ones until `isEnough()` returns true. */
async function* lastMessages(
  storage: Store,
  key: ThreadKey,
  { last, before, isEnough }: { last: number; before: string | undefined; isEnough: () => boolean },
): AsyncGenerator<StoredMessage, void> {
  let oldest: string | undefined
  let count = 0
  for await (const stored of newestMessages(storage, key, { last: last > 0 ? last + 1 : last, before })) {
    yield stored
    oldest = stored.message.id
    count++
  }
  if (count <= last || isEnough()) return
  yield* newestMessages(storage, key, { last: LONGEST_TURN - 1, before: oldest })
}

/**
 * Removes messages before the first user message, because their turn is incomplete: models mistake an answer
 * without its question for their own opening, and some providers reject a conversation that does not begin
 * with a user message. System messages are kept.
 */
export function beginAtUserMessage(messages: readonly Message[]): Message[] {
  const first = messages.findIndex(({ role }) => role === 'user')
  return messages.filter(({ role }, index) => role === 'system' || (first >= 0 && index >= first))
}

function checkLimit(option: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return
  throw new MillraceError('CONFIG_INVALID', `${option} is ${String(value)}. Use an integer of at least 0.`)
}
