import {
  type Chunk,
  MillraceError,
  type OptionNames,
  type ProcessOutputResultArgs,
  type Processor,
  requireCount,
  requireOptions,
  type Store,
  type WrapModelCallArgs,
} from '@millrace/core'
import { MAX_INLINE_BYTES } from '../attachments/stored-files.ts'
import { THREAD_PLACE_OPTIONS, type ThreadPlaceOptions } from '../thread-place.ts'
import { THREAD_TITLE_OPTIONS, ThreadTitle, type ThreadTitleOptions } from './thread-title.ts'
import { TurnWriter } from './turn-writer.ts'

/** How turns are saved. */
export interface MessagePersistenceOptions {
  /**
   * `turn`: the whole turn is saved in one transaction, after the output processors that come before the
   * memory. `step`: in addition, the user message is saved before the first model call, and each step before
   * the next call, so that a crash loses little. Default: `step`.
   */
  persist?: 'turn' | 'step' | undefined
  /** Files larger than this, in bytes, are stored outside their message. Default: 65,536. */
  maxInlineBytes?: number | undefined
  /** Generates a title for threads without one, in the background: `{ model }`. Default: none. */
  generateTitle?: ThreadTitleOptions | undefined
}

export const MESSAGE_PERSISTENCE_OPTIONS: OptionNames<MessagePersistenceOptions> = {
  persist: 'optional',
  maxInlineBytes: 'optional',
  generateTitle: THREAD_TITLE_OPTIONS,
}

export interface MessagePersistenceProcessorOptions extends MessagePersistenceOptions, ThreadPlaceOptions {
  storage: Store
  /** Default: `message-persistence`. */
  id?: string | undefined
  /**
   * What happens when the store fails. Default: `skip`, with the error in `result.warnings`. At the end of a run
   * that has called tools the run suspends, and resuming it saves the turn.
   */
  onError?: 'fail' | 'skip' | undefined
}

export const MESSAGE_PERSISTENCE_PROCESSOR_OPTIONS: OptionNames<MessagePersistenceProcessorOptions> = {
  ...MESSAGE_PERSISTENCE_OPTIONS,
  ...THREAD_PLACE_OPTIONS,
  storage: 'required',
  id: 'optional',
  onError: 'optional',
}

/**
 * Saves each turn: the user messages and the messages of the run, including tool calls and results, as
 * earlier processors left them. If the user message is already in the thread, the turn replaces all messages
 * after it. A stopped or failed turn is saved up to what was sent, with a mark (see `TURN_MARK`). A blocked
 * turn is not saved, except for the calls that were executed.
 */
export class MessagePersistenceProcessor implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly exclusive = 'message-history'
  readonly keepsIncomplete = true
  readonly #storage: Store
  readonly #writer: TurnWriter
  readonly #title: ThreadTitle | undefined
  /** Not with `persist: 'turn'`. */
  readonly wrapModelCall?: (args: WrapModelCallArgs) => Promise<AsyncIterable<Chunk>>

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: MessagePersistenceProcessorOptions) {
    const options = requireOptions(
      'MessagePersistenceProcessor',
      given,
      MESSAGE_PERSISTENCE_PROCESSOR_OPTIONS,
    )
    const { storage, id = 'message-persistence', onError = 'skip', persist = 'step', generateTitle } = options
    this.id = id
    this.onError = onError
    this.#storage = storage
    this.#writer = new TurnWriter(storage, options)
    this.#title = generateTitle && new ThreadTitle(generateTitle)
    checkPersist(persist)
    requireCount('maxInlineBytes', options.maxInlineBytes ?? MAX_INLINE_BYTES, 0)
    if (persist === 'step') this.wrapModelCall = (args) => this.#saveBeforeCall(args)
  }

  async processOutputResult(args: ProcessOutputResultArgs): Promise<void> {
    // The run fails in this case. If it has called tools, the calls are saved then.
    if (args.result.objectError) return
    const thread = await this.#writer.saveTurn(args)
    if (args.incomplete || !thread || thread.title !== undefined || !this.#title) return
    args.waitUntil(this.#title.write(this.#storage, thread, args.messageList.get('input')))
  }

  async #saveBeforeCall(args: WrapModelCallArgs): Promise<AsyncIterable<Chunk>> {
    await this.#writer.saveStep(args)
    return args.next(args.request)
  }
}

function checkPersist(persist: unknown): void {
  if (persist === 'turn' || persist === 'step') return
  throw new MillraceError('CONFIG_INVALID', `persist is '${String(persist)}'. Use 'turn' or 'step'.`)
}
