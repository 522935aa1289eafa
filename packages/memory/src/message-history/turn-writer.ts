import {
  type Incomplete,
  isToolPart,
  type Message,
  type MessageList,
  type RequestContext,
  type Store,
  type Thread,
  type ThreadKey,
} from '@millrace/core'
import { retryWrite } from '@millrace/core/storage'
import { externalizeFiles } from '../attachments/stored-files.ts'
import { type ThreadPlaceOptions, threadKeyOf } from '../thread-place.ts'
import { newestUserMessage } from './newest-user-message.ts'
import { withMark, withoutMark } from './turn-mark.ts'

/** What a hook passes about its run. */
interface RunArgs {
  messageList: MessageList
  requestContext: RequestContext
  state: Record<string, unknown>
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
  /** The last step that each run has begun to save, by the state of the run. */
  readonly #saving = new WeakMap<object, Promise<void>>()

  constructor(storage: Store, options: TurnWriterOptions) {
    this.#storage = storage
    this.#thread = options
    this.#maxInlineBytes = options.maxInlineBytes
  }

  /**
   * Saves the whole turn in one transaction, and tries again if the store fails. If the user message was
   * already stored, the turn replaces all messages after it. An incomplete turn is marked. Returns the thread,
   * or `undefined` if the run has no thread or nothing to save.
   */
  async saveTurn(args: RunArgs): Promise<Thread | undefined> {
    const { messageList, requestContext, state, incomplete } = args
    if (incomplete === 'blocked') return this.#saveBlocked(args)
    const key = await threadKeyOf(this.#thread, requestContext)
    const messages = turnOf(messageList)
    if (!key || messages.length === 0) return undefined
    const answers = answersIn(state)
    const rejected = answers?.filter((id) => !messageList.has(id)) ?? []
    if (rejected.length > 0)
      await retryWrite(() => this.#storage.deleteMessages({ ...key, messageIds: rejected }))
    const thread = await this.#save(key, messages, {
      mark: incomplete,
      deleteAfter:
        answers || state.isRepeated === false ? undefined : newestUserMessage(messageList.get('input'))?.id,
    })
    recordSaved(state, messageList.get('response'), { isComplete: true })
    return thread
  }

  /**
   * Deletes what was saved of a turn that a processor has blocked, or, if tools were called, saves the calls
   * instead. A regenerated turn keeps its previous answer. A turn that was complete is kept.
   */
  async #saveBlocked({ messageList, requestContext, state }: RunArgs): Promise<Thread | undefined> {
    // The question may have been blocked while it was being saved.
    await this.#saving.get(state)?.catch(() => {})
    const answers = answersIn(state)
    const made = messageList.get('response').filter(isStorable)
    if (isWhole(state, made) || (!answers && made.length === 0)) return undefined
    const key = await threadKeyOf(this.#thread, requestContext)
    if (!key) return undefined
    const input = messageList.get('input').filter(isStorable)
    if (made.length > 0) {
      const isRepeated = !answers && (await this.#isRepeated(key, input, state))
      return this.#save(key, isRepeated ? made : turnOf(messageList), { mark: 'blocked' })
    }
    const messageIds = [...input.map(({ id }) => id), ...(answers ?? [])]
    await retryWrite(() => this.#storage.deleteMessages({ ...key, messageIds }))
    return undefined
  }

  /**
   * Saves what exists of a running turn, marked as open: the user message before the first model call, and
   * the messages of finished steps before each later call. A regenerated turn is saved only at its end, so that
   * its previous answer is kept until then.
   */
  async saveStep(args: RunArgs): Promise<void> {
    const saving = this.#saveOpen(args)
    this.#saving.set(args.state, saving)
    await saving
  }

  async #saveOpen({ messageList, requestContext, state }: RunArgs): Promise<void> {
    const key = await threadKeyOf(this.#thread, requestContext)
    if (!key) return
    const input = messageList.get('input').filter(isStorable)
    const isFirst = answersIn(state) === undefined
    if (isFirst && (await this.#isRepeated(key, input, state))) return
    const made = messageList.get('response').filter(isStorable)
    const messages = isFirst ? [...input, ...made] : made
    if (messages.length === 0) return
    await this.#storage.saveMessages({
      ...key,
      ...(await this.#externalizeFiles(messages.map((message) => withMark(message, 'open')))),
    })
    recordSaved(state, made, { isComplete: false })
  }

  async #save(
    key: ThreadKey,
    messages: readonly Message[],
    { mark, deleteAfter }: { mark: Incomplete | undefined; deleteAfter?: string | undefined },
  ): Promise<Thread> {
    const marked = messages.map((message) => (mark ? withMark(message, mark) : withoutMark(message)))
    const saved = await this.#externalizeFiles(marked)
    return retryWrite(() => this.#storage.saveMessages({ ...key, ...saved, deleteAfter }))
  }

  #externalizeFiles(messages: readonly Message[]): ReturnType<typeof externalizeFiles> {
    return externalizeFiles(this.#storage, messages, { maxInlineBytes: this.#maxInlineBytes })
  }

  /** Whether the turn answers a message that the thread had before. */
  async #isRepeated(
    { threadId, resourceId }: ThreadKey,
    input: readonly Message[],
    state: Record<string, unknown>,
  ): Promise<boolean> {
    const newest = newestUserMessage(input)
    if (!newest) return false
    state.isRepeated ??=
      (await this.#storage.getMessages({ resourceId, messages: [{ threadId, messageId: newest.id }] }))
        .length > 0
    return state.isRepeated === true
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
  state.calls = callIds(answers)
}

/** Whether the turn was saved at its end, and no call was made in another attempt since. */
function isWhole(state: Record<string, unknown>, made: readonly Message[]): boolean {
  return state.isComplete === true && callIds(made).every((id) => (state.calls as string[]).includes(id))
}

function callIds(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content }) =>
    content.parts.filter(isToolPart).map(({ toolCallId }) => toolCallId),
  )
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
