import {
  type Incomplete,
  type Message,
  type MessageList,
  PerRun,
  type RequestContext,
  type Store,
  type Thread,
  type ThreadKey,
  TripWire,
} from '@millrace/core'
import { externalizeFiles } from '../attachments/stored-files.ts'
import { type ThreadPlaceOptions, threadKeyOf } from '../thread-place.ts'
import { newestUserMessage } from './newest-user-message.ts'
import { withMark, withoutMark } from './turn-mark.ts'

/** What a hook passes about its run. */
interface RunArgs {
  messageList: MessageList
  requestContext: RequestContext
  state: Record<string, unknown>
  abortSignal: AbortSignal
  waitUntil: (work: PromiseLike<unknown>) => void
  /** Set if the answer is incomplete. */
  incomplete?: Incomplete | undefined
}

export interface TurnWriterOptions extends ThreadPlaceOptions {
  /** Files larger than this, in bytes, are stored outside their message. */
  maxInlineBytes?: number | undefined
}

/**
 * Saves the turns of runs: the input of each run and the messages it produced. Remembered messages and
 * context are not saved.
 */
export class TurnWriter {
  readonly #storage: Store
  readonly #thread: ThreadPlaceOptions
  readonly #maxInlineBytes: number | undefined
  /** Runs with an abort listener, identified by their signal. A resumed run has a new signal. */
  readonly #watched = new PerRun<true>()

  constructor(storage: Store, options: TurnWriterOptions) {
    this.#storage = storage
    this.#thread = options
    this.#maxInlineBytes = options.maxInlineBytes
  }

  /**
   * Saves the whole turn in one transaction. If the user message was already stored, the turn replaces all
   * messages after it. An incomplete turn is marked. Returns the thread, or `undefined` if the run has no
   * thread or nothing to save.
   */
  async saveTurn({ messageList, requestContext, state, incomplete }: RunArgs): Promise<Thread | undefined> {
    const key = await threadKeyOf(this.#thread, requestContext)
    const messages = turnOf(messageList).map((message) =>
      incomplete ? withMark(message, incomplete) : withoutMark(message),
    )
    if (!key || messages.length === 0) return undefined
    const answers = answersIn(state)
    const rejected = answers?.filter((id) => !messageList.has(id)) ?? []
    if (rejected.length > 0) await this.#storage.deleteMessages({ ...key, messageIds: rejected })
    const thread = await this.#storage.saveMessages({
      ...key,
      ...(await this.#externalizeFiles(messages)),
      ...(!answers && { deleteAfter: newestUserMessage(messageList.get('input'))?.id }),
    })
    recordSaved(state, messageList.get('response'), { isComplete: true })
    return thread
  }

  /**
   * Saves what exists of a running turn, marked as open: the user message before the first model call, and
   * the messages of finished steps before each later call. If a tripwire ends the run, they are deleted. A
   * regenerated turn is saved only at its end, so that its previous answer is kept until then.
   */
  async saveStep(args: RunArgs): Promise<void> {
    const { messageList, requestContext, state } = args
    const key = await threadKeyOf(this.#thread, requestContext)
    if (!key) return
    const input = messageList.get('input').filter(isStorable)
    const isFirst = answersIn(state) === undefined
    if (isFirst) state.isRepeated ??= await this.#has(key, newestUserMessage(input))
    if (state.isRepeated === true) return
    this.#onTripwire(args, key)
    const made = messageList.get('response').filter(isStorable)
    const messages = isFirst ? [...input, ...made] : made
    if (messages.length === 0) return
    await this.#storage.saveMessages({
      ...key,
      ...(await this.#externalizeFiles(messages.map((message) => withMark(message, 'open')))),
    })
    recordSaved(state, made, { isComplete: false })
  }

  #externalizeFiles(messages: readonly Message[]): ReturnType<typeof externalizeFiles> {
    return externalizeFiles(this.#storage, messages, { maxInlineBytes: this.#maxInlineBytes })
  }

  async #has({ threadId, resourceId }: ThreadKey, message: Message | undefined): Promise<boolean> {
    if (!message) return false
    const known = await this.#storage.getMessages({
      resourceId,
      messages: [{ threadId, messageId: message.id }],
    })
    return known.length > 0
  }

  #onTripwire({ messageList, state, abortSignal, waitUntil }: RunArgs, key: ThreadKey): void {
    if (this.#watched.get(abortSignal)) return
    this.#watched.set(abortSignal, true)
    const onAbort = (): void => {
      if (state.isComplete === true || !TripWire.isInstance(abortSignal.reason)) return
      const input = messageList.get('input').filter(isStorable)
      const messageIds = [...input.map(({ id }) => id), ...(answersIn(state) ?? [])]
      // If the store fails here, the turn stays open, as after a crash.
      waitUntil(this.#storage.deleteMessages({ ...key, messageIds }))
    }
    abortSignal.addEventListener('abort', onAbort, { once: true })
  }
}

/** The ids of this run's answer messages in the store. `undefined` if nothing of the turn was saved yet. */
function answersIn(state: Record<string, unknown>): string[] | undefined {
  return state.answers as string[] | undefined
}

function recordSaved(
  state: Record<string, unknown>,
  answers: readonly Message[],
  { isComplete }: { isComplete: boolean },
): void {
  state.answers = answers.map(({ id }) => id)
  state.isComplete = isComplete
}

/** The messages that a run adds to its thread, in order. */
function turnOf(messageList: MessageList): Message[] {
  return messageList.get().filter((message) => {
    const origin = messageList.originOf(message.id)
    return (origin === 'input' || origin === 'response') && isStorable(message)
  })
}

/** System messages belong to the agent, and an answer without content is not stored. */
function isStorable({ role, content }: Message): boolean {
  return role !== 'system' && content.parts.some(({ type }) => type !== 'step-start')
}
