import {
  type Chunk,
  type Message,
  type ProcessInputArgs,
  type ProcessInputResult,
  type ProcessOutputResultArgs,
  type Processor,
  type ThreadKey,
  textOfParts,
  type WrapModelCallArgs,
} from '@millrace/core'
import { Compaction, type CompactionOptions } from '../compaction/compaction.ts'
import { dropCompaction } from '../compaction/stored-compaction.ts'
import { placeOf } from '../thread-place.ts'
import { HistoryWindow, type HistoryWindowOptions } from './history-window.ts'
import {
  MessagePersistenceProcessor,
  type MessagePersistenceProcessorOptions,
} from './message-persistence-processor.ts'
import { newestUserMessage } from './newest-user-message.ts'

export interface MessageHistoryProcessorOptions
  extends HistoryWindowOptions,
    MessagePersistenceProcessorOptions {
  /**
   * Shows dated facts in place of older messages, and all the newer ones: in place of `lastMessages` and `maxTokens`.
   * Default: older messages are left out.
   */
  compaction?: CompactionOptions | undefined
  /** Default: `message-history`. */
  id?: string | undefined
}

/**
 * Shows the model what was said before, and saves what is said now. Among input processors it loads the last messages of
 * the run's thread; among output processors it saves the turn as `MessagePersistenceProcessor` does; in `processors`,
 * both. A run without a thread is left alone.
 *
 * @example
 * new Agent({ model, processors: [new MessageHistoryProcessor({ storage, lastMessages: 10 })] })
 */
export class MessageHistoryProcessor implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly exclusive = 'message-history'
  readonly #options: MessageHistoryProcessorOptions
  readonly #window: HistoryWindow
  readonly #persistence: MessagePersistenceProcessor
  readonly #compaction: Compaction | undefined
  /** With `persist: 'step'` alone. */
  readonly wrapModelCall?: (args: WrapModelCallArgs) => Promise<AsyncIterable<Chunk>>

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: MessageHistoryProcessorOptions) {
    const { id = 'message-history', onError = 'skip' } = options
    this.id = id
    this.onError = onError
    this.#options = options
    this.#window = new HistoryWindow(options)
    this.#persistence = new MessagePersistenceProcessor({ ...options, id })
    this.#compaction = options.compaction && new Compaction(options.compaction)
    const { wrapModelCall } = this.#persistence
    if (!wrapModelCall) return
    this.wrapModelCall = async (args) => {
      await this.#dropStale(args)
      return wrapModelCall(args)
    }
  }

  /**
   * What the model is shown of a thread, oldest first: with `compaction`, facts and the messages since.
   *
   * @param options.last In place of `lastMessages`, and of compaction
   */
  async read(key: ThreadKey, { last }: { last?: number | undefined } = {}): Promise<Message[]> {
    const { storage } = this.#options
    if (!this.#compaction || last !== undefined) return this.#window.read(storage, key, { last })
    const { facts, messages } = await this.#compaction.read(storage, key, { before: undefined, id: this.id })
    return facts ? [facts, ...messages] : messages
  }

  async processInput(args: ProcessInputArgs): Promise<ProcessInputResult> {
    const { messageList, systemMessages, requestContext } = args
    const key = await placeOf(this.#options, requestContext)
    if (!key) return
    const before = newestUserMessage(messageList.get('input'))?.id
    if (this.#compaction) return this.#addCompacted(args, { compaction: this.#compaction, key, before })
    const history = await this.#window.read(this.#options.storage, key, { before })
    const unknown = history.filter(({ id }) => !messageList.has(id))
    messageList.add(
      unknown.filter(({ role }) => role !== 'system'),
      'remembered',
    )
    const stored = unknown.filter(({ role }) => role === 'system')
    if (stored.length === 0) return unknown.length > 0 ? messageList : undefined
    const remembered = stored.map(({ content }) => ({
      role: 'system' as const,
      content: textOfParts(content.parts),
    }))
    return { systemMessages: [...systemMessages, ...remembered] }
  }

  async processOutputResult(args: ProcessOutputResultArgs): Promise<void> {
    if (args.result.objectError) return
    await this.#dropStale(args)
    await this.#persistence.processOutputResult(args)
    const key = this.#compaction && (await placeOf(this.#options, args.requestContext))
    if (!this.#compaction || !key) return
    const { messageList, model, state } = args
    const turn = [...messageList.get('input'), ...messageList.get('response')]
    if (typeof state.tokens === 'number' && !(await this.#compaction.isTooMuch(state.tokens, turn))) return
    args.waitUntil(this.#compaction.condense(this.#options.storage, key, { model }))
  }

  /** Before anything is saved: what stands for messages that are taken back must not outlive them. */
  async #dropStale({ requestContext, state }: ProcessOutputResultArgs | WrapModelCallArgs): Promise<void> {
    const key = state.isStale === true && (await placeOf(this.#options, requestContext))
    if (!key) return
    await dropCompaction(this.#options.storage, key)
    state.isStale = false
  }

  async #addCompacted(
    { messageList, state }: ProcessInputArgs,
    { compaction, key, before }: { compaction: Compaction; key: ThreadKey; before: string | undefined },
  ): Promise<void> {
    const { facts, messages, tokens, isStale } = await compaction.read(this.#options.storage, key, {
      before,
      id: this.id,
    })
    state.isStale = isStale
    state.tokens = tokens
    if (facts) messageList.add(facts, 'context')
    messageList.add(
      messages.filter(({ id }) => !messageList.has(id)),
      'remembered',
    )
  }
}
