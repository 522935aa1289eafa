import {
  type LanguageModel,
  type Message,
  MillraceError,
  type Store,
  type StoredMessage,
  type ThreadKey,
} from '@millrace/core'
import { contextMessage, escaped } from '../context-message.ts'
import { tokensOf } from '../message-history/message-tokens.ts'
import { newestMessages } from '../message-history/read-messages.ts'
import { isBlocked } from '../message-history/turn-mark.ts'
import { condenseMessages } from './condense-messages.ts'
import {
  dropCompaction,
  readCompaction,
  replaceCompaction,
  type StoredCompaction,
} from './stored-compaction.ts'

export interface CompactionOptions {
  /** When the facts and the messages since take more than this, the older messages are condensed. */
  maxTokens: number
  /** What of the newest messages stays as it is, in whole turns. Default: half of `maxTokens`. */
  keepTokens?: number
  /** The tokens of a text, such as `countTokens` of `@millrace/processors/token-limiter`. */
  countTokens: (text: string) => number | Promise<number>
  /** Condenses. Default: the agent's. */
  model?: LanguageModel
}

/** A thread as the model is shown it. */
export interface CompactedHistory {
  /** The facts, as a message marked as context. */
  facts: Message | undefined
  /** What was said since, oldest first. */
  messages: Message[]
  /** What all of it takes; more than `maxTokens` where not all of it is shown. */
  tokens: number
  /** The facts stand for messages that this turn takes back. */
  isStale: boolean
}

const TAG = 'earlier-conversation'

/**
 * This many times `maxTokens` a model takes at once. Beyond it older messages are not shown though nothing stands for them,
 * because condensing has failed.
 */
const TOLERANCE = 2

/**
 * Shows all of a thread in a bounded number of tokens: dated facts for its older messages, and the newer ones as they
 * are. Between two compactions the prompt only grows at its end, so that providers can cache what comes before. The
 * messages stay in the store, and can be found there.
 */
export class Compaction {
  readonly #options: CompactionOptions
  readonly #keepTokens: number

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: CompactionOptions) {
    const { maxTokens, keepTokens = Math.floor(maxTokens / 2), countTokens } = options
    if (!(Number.isSafeInteger(maxTokens) && maxTokens > 0)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `compaction.maxTokens is ${maxTokens}. Use a whole number from 1 on.`,
      )
    }
    if (!(Number.isSafeInteger(keepTokens) && keepTokens >= 0 && keepTokens < maxTokens)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `compaction.keepTokens is ${keepTokens}. Use a whole number from 0 on, below maxTokens (${maxTokens}).`,
      )
    }
    if (typeof countTokens !== 'function') {
      throw new MillraceError(
        'CONFIG_INVALID',
        'compaction.countTokens is missing. Give a function that counts the tokens of a text.',
      )
    }
    this.#options = options
    this.#keepTokens = keepTokens
  }

  /** @param options.before Only what comes before the message with this id: for a turn that is done again */
  async read(
    storage: Store,
    key: ThreadKey,
    { before, id }: { before: string | undefined; id: string },
  ): Promise<CompactedHistory> {
    const { compaction } = await readCompaction(storage, key)
    const since = await this.#since(storage, key, { compaction, before })
    const isStale = compaction !== undefined && since.newest < compaction.through
    const { messages, tokens } = isStale
      ? await this.#since(storage, key, { compaction: undefined, before })
      : since
    const known = isStale ? undefined : compaction
    return {
      facts: known && this.#factsMessage(known, id),
      messages: messages.map(({ message }) => message),
      tokens: tokens + (known ? await this.#options.countTokens(known.facts) : 0),
      isStale,
    }
  }

  /** Whether there is too much, with what a turn adds to what was there before it. */
  async isTooMuch(before: number, added: readonly Message[]): Promise<boolean> {
    const { maxTokens, countTokens } = this.#options
    const sizes = await Promise.all(added.map((message) => tokensOf(message, countTokens)))
    return sizes.reduce((sum, size) => sum + size, before) > maxTokens
  }

  /**
   * Condenses older messages if there are too many. Nothing changes if the model fails, or if another writer was faster.
   *
   * @param options.model The agent's
   */
  async condense(
    storage: Store,
    key: ThreadKey,
    { model, abortSignal }: { model: LanguageModel; abortSignal?: AbortSignal },
  ): Promise<void> {
    let { compaction: before } = await readCompaction(storage, key)
    const { messages } = await this.#since(storage, key, {
      compaction: before,
      before: undefined,
      maxTokens: Number.POSITIVE_INFINITY,
    })
    for (const part of await this.#olderParts(messages, before)) {
      const facts = await condenseMessages({
        model: this.#options.model ?? model,
        facts: before?.facts ?? '',
        messages: part.map(({ message }) => message),
        ...(abortSignal && { abortSignal }),
      })
      const after = { facts, through: part.at(-1)?.sequence ?? 0 }
      if (!(await replaceCompaction(storage, key, { before, after }))) return
      // Who has deleted or edited a message meanwhile has found no facts of it to drop; who does so now finds these.
      if (await isChanged(storage, key, part)) {
        await dropCompaction(storage, key)
        return
      }
      before = after
    }
  }

  /** What was said after the compaction, oldest first, what it takes, and the place of the newest message there is. */
  async #since(
    storage: Store,
    key: ThreadKey,
    {
      compaction,
      before,
      maxTokens = TOLERANCE * this.#options.maxTokens,
    }: { compaction: StoredCompaction | undefined; before: string | undefined; maxTokens?: number },
  ): Promise<{ messages: StoredMessage[]; tokens: number; newest: number }> {
    const newestFirst: StoredMessage[] = []
    let tokens = 0
    let newest = 0
    for await (const stored of newestMessages(storage, key, { before })) {
      newest = Math.max(newest, stored.sequence)
      if (compaction && stored.sequence <= compaction.through) break
      if (isBlocked(stored.message) || stored.message.role === 'system') continue
      tokens += await tokensOf(stored.message, this.#options.countTokens)
      if (tokens > maxTokens && newestFirst.length > 0) break
      newestFirst.push(stored)
    }
    return { messages: newestFirst.reverse(), tokens, newest }
  }

  /**
   * What is to be condensed, if there is too much: all but the last whole turns that fit what is kept, in parts that a
   * model takes at once.
   */
  async #olderParts(
    messages: readonly StoredMessage[],
    compaction: StoredCompaction | undefined,
  ): Promise<StoredMessage[][]> {
    const { maxTokens, countTokens } = this.#options
    const sizes = await Promise.all(messages.map(({ message }) => tokensOf(message, countTokens)))
    let total = compaction ? await countTokens(compaction.facts) : 0
    let kept = 0
    let cut = messages.length
    for (let index = messages.length - 1; index >= 0; index--) {
      const size = sizes[index] ?? 0
      total += size
      kept += size
      if (kept <= this.#keepTokens && messages[index]?.message.role === 'user') cut = index
    }
    if (total <= maxTokens) return []
    const parts: StoredMessage[][] = []
    let room = 0
    for (const [index, stored] of messages.slice(0, cut).entries()) {
      room -= sizes[index] ?? 0
      if (room >= 0) parts.at(-1)?.push(stored)
      else {
        parts.push([stored])
        room = TOLERANCE * maxTokens - (sizes[index] ?? 0)
      }
    }
    return parts
  }

  /** The same for every run until the next compaction, but for its id. */
  #factsMessage({ facts }: StoredCompaction, id: string): Message {
    return contextMessage({
      id,
      tag: TAG,
      about: 'What was said earlier in this conversation, as a record of facts.',
      body: escaped(facts, TAG),
    })
  }
}

/** Whether one of the messages is gone, or says something else. */
async function isChanged(
  storage: Store,
  { threadId, resourceId }: ThreadKey,
  messages: readonly StoredMessage[],
): Promise<boolean> {
  const wanted = messages.map(({ message }) => ({ threadId, messageId: message.id }))
  const found = await storage.getMessages({ resourceId, messages: wanted })
  const partsNow = new Map(found.map(({ message }) => [message.id, JSON.stringify(message.content.parts)]))
  return messages.some(({ message: { id, content } }) => partsNow.get(id) !== JSON.stringify(content.parts))
}
