import { type Message, MillraceError, type Store, type StoredMessage, type ThreadKey } from '@millrace/core'
import { tokensOf } from './message-tokens.ts'
import { newestMessages } from './read-messages.ts'
import { isBlocked } from './turn-mark.ts'

/** How much of a thread the model is shown. */
export interface HistoryWindowOptions {
  /**
   * How many of the last messages the model is shown; `false` for none. They begin with a user's message: if the window begins
   * within a turn, the rest of that turn is left out. If none of them is a user's, the last turn is shown whole, if it begins
   * among the 200 messages before. Default: 20; with `maxTokens`, no limit.
   */
  lastMessages?: number | false | undefined
  /**
   * How many tokens the messages may have: whole messages, beginning with a user's. If the last turn does not fit, none is
   * shown. Default: no limit.
   */
  maxTokens?: number | undefined
  /** Counts the tokens of a text, such as `countTokens` of `@millrace/tokens`. Required with `maxTokens`. */
  countTokens?: ((text: string) => number | Promise<number>) | undefined
  /**
   * For how many earlier turns the model is shown the files that are stored beside messages. Of older turns it is shown only
   * the names of the files. Default: 2.
   */
  keepFiles?: number | undefined
  /**
   * Shows who said each user's message, from its `metadata.speaker`: for threads of several users. Set `speaker` in your
   * application, from who is signed in. Default: false.
   */
  showNames?: boolean | undefined
  /** Also shows stored system messages, after the agent's own. Default: false. */
  includeSystemMessages?: boolean | undefined
}

/** The part of a thread the model is shown. */
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
        'maxTokens was given without countTokens. Give a function that counts the tokens of a text.',
      )
    }
    this.#last = lastMessages === false ? 0 : (lastMessages ?? (maxTokens === undefined ? 20 : Infinity))
    this.#maxTokens = maxTokens ?? Number.POSITIVE_INFINITY
    this.#countTokens = countTokens
    this.#includeSystemMessages = includeSystemMessages
  }

  /**
   * The messages, oldest first, without turns that were blocked.
   *
   * @param options.before Only what comes before the message with this id: for a turn that is done again
   * @param options.last In place of `lastMessages`
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
      if (isBlocked(message) || (message.role === 'system' && !this.#includeSystemMessages)) continue
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

/** How far before a window the last message of a user is looked for, if none is within. */
const LONGEST_TURN = 200

/** One more than the last ones, newest first, and those before until there is enough. */
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
 * Without what the window has left of a turn whose beginning is outside: models take an answer without its question for
 * their own beginning, and some providers refuse a conversation that does not begin with a user. System messages stay.
 */
export function beginAtUserMessage(messages: readonly Message[]): Message[] {
  const first = messages.findIndex(({ role }) => role === 'user')
  return messages.filter(({ role }, index) => role === 'system' || (first >= 0 && index >= first))
}

function checkLimit(option: string, value: number | undefined): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= 0)) return
  throw new MillraceError('CONFIG_INVALID', `${option} is ${String(value)}. Use a whole number from 0 on.`)
}
