import {
  type Chunk,
  type Message,
  type OptionNames,
  type ProcessInputArgs,
  type ProcessInputResult,
  type ProcessOutputResultArgs,
  type Processor,
  pickOptions,
  requireCount,
  requireOptions,
  type ThreadKey,
  textOfParts,
  type WrapModelCallArgs,
} from '@millrace/core'
import { inlineRecentFiles } from '../attachments/stored-files.ts'
import { OBSERVATIONS_OPTIONS, Observations, type ObservationsOptions } from '../observations/observations.ts'
import { threadKeyOf } from '../thread-place.ts'
import { HISTORY_WINDOW_OPTIONS, HistoryWindow, type HistoryWindowOptions } from './history-window.ts'
import {
  MESSAGE_PERSISTENCE_PROCESSOR_OPTIONS,
  MessagePersistenceProcessor,
  type MessagePersistenceProcessorOptions,
} from './message-persistence-processor.ts'
import { newestUserMessage } from './newest-user-message.ts'
import { speakerMessage, withNames } from './speaker-names.ts'

export interface MessageHistoryProcessorOptions
  extends HistoryWindowOptions,
    MessagePersistenceProcessorOptions {
  /**
   * Shows dated notes in place of older messages, followed by all newer messages. Replaces `lastMessages` and
   * `maxTokens`. Default: older messages are left out.
   */
  observations?: ObservationsOptions | undefined
  /** Default: `message-history`. */
  id?: string | undefined
}

export const MESSAGE_HISTORY_PROCESSOR_OPTIONS: OptionNames<MessageHistoryProcessorOptions> = {
  ...HISTORY_WINDOW_OPTIONS,
  ...MESSAGE_PERSISTENCE_PROCESSOR_OPTIONS,
  observations: OBSERVATIONS_OPTIONS,
  id: 'optional',
}

/**
 * Loads the history of the run's thread and saves its turns. As an input processor it loads the last
 * messages. As an output processor it saves the turn, as `MessagePersistenceProcessor` does. In `processors`
 * it does both. It does nothing in a run without a thread.
 *
 * @example
 * new Agent({ model, processors: [new MessageHistoryProcessor({ storage, lastMessages: 10 })] })
 */
export class MessageHistoryProcessor implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly exclusive = 'message-history'
  readonly keepsIncomplete = true
  readonly #options: MessageHistoryProcessorOptions
  readonly #window: HistoryWindow
  readonly #keepFiles: number
  readonly #persistence: MessagePersistenceProcessor
  readonly #observations: Observations | undefined
  /** Not with `persist: 'turn'`. */
  readonly wrapModelCall?: (args: WrapModelCallArgs) => Promise<AsyncIterable<Chunk>>

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: MessageHistoryProcessorOptions) {
    const options = requireOptions('MessageHistoryProcessor', given, MESSAGE_HISTORY_PROCESSOR_OPTIONS)
    const { id = 'message-history', onError = 'skip' } = options
    this.id = id
    this.onError = onError
    this.#options = options
    this.#window = new HistoryWindow(options)
    this.#keepFiles = requireCount('keepFiles', options.keepFiles ?? 2, 0)
    this.#persistence = new MessagePersistenceProcessor({
      ...pickOptions<MessagePersistenceProcessorOptions>(options, MESSAGE_PERSISTENCE_PROCESSOR_OPTIONS),
      id,
    })
    this.#observations = options.observations && new Observations(options.observations)
    const { wrapModelCall } = this.#persistence
    if (!wrapModelCall) return
    this.wrapModelCall = async (args) => {
      await this.#dropStaleNotes(args)
      return wrapModelCall(args)
    }
  }

  /**
   * The messages of a thread that the model receives, oldest first. With `observations`: notes, followed by
   * newer messages.
   *
   * @param options.last Overrides `lastMessages` and `observations`
   */
  async read(key: ThreadKey, { last }: { last?: number | undefined } = {}): Promise<Message[]> {
    const { storage } = this.#options
    if (!this.#observations || last !== undefined) {
      return this.#prepare(key, await this.#window.read(storage, key, { last }))
    }
    const { notes, messages } = await this.#observations.read(storage, key)
    const shown = await this.#prepare(key, messages)
    return notes ? [notes, ...shown] : shown
  }

  async processInput(args: ProcessInputArgs): Promise<ProcessInputResult> {
    const { messageList, requestContext } = args
    const key = await threadKeyOf(this.#options, requestContext)
    if (!key) return
    const newest = newestUserMessage(messageList.get('input'))
    const before = newest?.id
    const result = await this.#addHistory(args, { key, before })
    const speaker = this.#options.showNames ? speakerMessage(newest) : undefined
    if (speaker) messageList.add(speaker, 'context')
    return result ?? (speaker && messageList)
  }

  async #addHistory(
    args: ProcessInputArgs,
    { key, before }: { key: ThreadKey; before: string | undefined },
  ): Promise<ProcessInputResult> {
    const { messageList, systemMessages } = args
    if (this.#observations) return this.#addObserved(args, { observations: this.#observations, key, before })
    const read = await this.#window.read(this.#options.storage, key, { before })
    const history = await this.#prepare(key, read)
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
    await this.#dropStaleNotes(args)
    await this.#persistence.processOutputResult(args)
    if (args.incomplete) return
    const observations = this.#observations
    const key = observations && (await threadKeyOf(this.#options, args.requestContext))
    if (!observations || !key) return
    const { messageList, model, state } = args
    const turn = [...messageList.get('input'), ...messageList.get('response')]
    const { newest, unread } = state as { newest?: number; unread?: number }
    const work = async (): Promise<void> => {
      const added = await observations.tokensOf(turn)
      await observations.observe(this.#options.storage, key, {
        model,
        newest,
        unread: unread === undefined ? undefined : unread + added,
      })
    }
    args.waitUntil(work())
  }

  async #prepare(key: ThreadKey, messages: readonly Message[]): Promise<Message[]> {
    const { storage, showNames = false } = this.#options
    const shown = await inlineRecentFiles(storage, key, { messages, keepFiles: this.#keepFiles })
    return showNames ? withNames(shown) : shown
  }

  /** Runs before anything is saved: notes must not outlive the messages that a regenerated turn removes. */
  async #dropStaleNotes({
    requestContext,
    state,
  }: ProcessOutputResultArgs | WrapModelCallArgs): Promise<void> {
    if (state.isStale !== true || !this.#observations) return
    const key = await threadKeyOf(this.#options, requestContext)
    if (key) await this.#observations.dropNotesAfter(this.#options.storage, key, Number(state.newest))
    state.isStale = false
  }

  async #addObserved(
    { messageList, state }: ProcessInputArgs,
    { observations, key, before }: { observations: Observations; key: ThreadKey; before: string | undefined },
  ): Promise<void> {
    const { notes, messages, ...rest } = await observations.read(this.#options.storage, key, { before })
    Object.assign(state, rest)
    if (notes) messageList.add(notes, 'context')
    messageList.add(
      (await this.#prepare(key, messages)).filter(({ id }) => !messageList.has(id)),
      'remembered',
    )
  }
}
