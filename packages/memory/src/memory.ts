import {
  type ListMessagesOptions,
  type ListThreadsOptions,
  type Message,
  MillraceError,
  type Page,
  type ProcessOutputResultArgs,
  type Processor,
  type ProcessorProvider,
  type SearchThreadsOptions,
  type Store,
  type Thread,
  type ThreadChanges,
  type ThreadKey,
  type VectorStore,
} from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { withFiles, withFilesAside } from './attachments/stored-files.ts'
import type { MemoryOptions } from './memory-options.ts'
import { fromMemoryProcessor } from './memory-processor/from-memory-processor.ts'
import { MessageHistoryProcessor } from './message-history/message-history-processor.ts'
import {
  MessagePersistenceProcessor,
  type MessagePersistenceProcessorOptions,
} from './message-history/message-persistence-processor.ts'
import { type SelectMessagesOptions, selectMessages } from './message-history/select-messages.ts'
import { type MessageInput, toMessage } from './message-input.ts'
import type { NewObservation, Observation } from './observations/observation.ts'
import { Observations } from './observations/observations.ts'
import type { Cut } from './observations/source-range.ts'
import type { ImportCounts, ImportOptions } from './resource-data/import-resource.ts'
import type { ExportSource } from './resource-data/lines.ts'
import { type QueryOptions, queryMessages } from './semantic-recall/query-messages.ts'
import { SemanticRecallProcessor } from './semantic-recall/semantic-recall-processor.ts'
import { readState, type StatePlace, statePlace } from './stored-state.ts'
import type { ThreadIds } from './thread-place.ts'
import { changeThread } from './threads/change-thread.ts'
import type { CloneThreadOptions } from './threads/clone-thread.ts'
import { DefaultThread } from './threads/default-thread.ts'
import { checkRetention, expiredMessages, retentionProcessor } from './threads/retention.ts'
import type { FoundThread } from './threads/search-threads.ts'
import { seedThreads } from './threads/seed-threads.ts'
import type { WorkingMemory } from './working-memory/shape.ts'
import { updateWorkingMemory, workingMemoryOf } from './working-memory/stored-working-memory.ts'
import { rulesOf, WorkingMemoryProcessor } from './working-memory/working-memory-processor.ts'

// Loaded when they are called: most programs call few of them.
const editing = () => import('./observations/edit-observations.ts')
const copying = () => import('./resource-data/index.ts')
const threads = () => import('./threads/index.ts')

/** How files are given that are stored beside messages. */
export interface FilesOptions {
  /** `inline`: as data URLs. `reference`: they are not read, and their URLs are of no use outside. Default: `inline`. */
  files?: 'inline' | 'reference' | undefined
}

/**
 * What an agent remembers of its conversations: their last messages, and what else its options say. Give it to an agent
 * as `memory`, put it into a list of processors, or spread what `getInputProcessors` and `getOutputProcessors` return.
 *
 * Conversations are told apart by `threadId`, and belong to a `resourceId` if they have one: a thread of one resource is
 * not found under another. With a store that is gone with the process, calls may leave ids out as long as none has given
 * any: they mean one conversation then, or one for each resource.
 *
 * @example
 * const agent = new Agent({ model, memory: new Memory({ storage, lastMessages: 10 }) })
 * await agent.generate('My name is Ada.', { threadId: 'thread-1', resourceId: 'user-1' })
 */
export class Memory implements ProcessorProvider {
  readonly storage: Store
  readonly #options: MemoryOptions
  readonly #history: MessageHistoryProcessor
  readonly #observations: Observations | undefined
  readonly #defaultThread: DefaultThread
  readonly #inputProcessors: readonly Processor[]
  readonly #outputProcessors: readonly Processor[]
  #seeded: Promise<void> | undefined

  /** @throws MillraceError `CONFIG_INVALID` if an option cannot work; the message names it */
  constructor(options: MemoryOptions = {}) {
    const { storage = new InMemoryStore(), onError = 'skip', semanticRecall, workingMemory } = options
    const { processors = [] } = options
    this.storage = storage
    this.#options = options
    this.#defaultThread = new DefaultThread({ isPersistent: storage.capabilities.persistent })
    const shared = { storage, onError, findThread: (ids: ThreadIds) => this.#find(ids) }
    const { history, persistence } = historyOf({ ...options, ...shared })
    this.#history = history
    this.#observations = options.observations && new Observations(options.observations)
    const recall = semanticRecall
      ? [new SemanticRecallProcessor({ ...recallOptions(options), ...shared })]
      : []
    const facts = workingMemory ? [new WorkingMemoryProcessor({ ...workingMemory, ...shared })] : []
    const adapted = processors.map((processor, index) =>
      // They may be there to keep something from the model: without them the run does not go on, unless told so.
      fromMemoryProcessor(processor, {
        id: `memory-processor-${index + 1}`,
        onError: options.onError ?? 'fail',
      }),
    )
    const { retention } = options
    if (retention) checkRetention(retention)
    const apply = async ({ requestContext }: ProcessOutputResultArgs): Promise<unknown> => {
      const { threadId, resourceId } = requestContext
      return this.#deleteExpired(await this.#find({ threadId, resourceId }))
    }
    this.#inputProcessors = [history, ...recall, ...facts, ...adapted]
    this.#outputProcessors = [
      persistence,
      ...recall.filter(({ processOutputResult }) => processOutputResult !== undefined),
      ...facts,
      ...(retention ? [retentionProcessor({ apply, onError })] : []),
    ]
  }

  /** What this memory does with the input of a run: always the same instances. */
  getInputProcessors(): Processor[] {
    return [...this.#inputProcessors]
  }

  /** What this memory does with the outcome of a run: always the same instances. */
  getOutputProcessors(): Processor[] {
    return [...this.#outputProcessors]
  }

  /** What the model would be shown of a thread now, oldest first. `last` takes the place of what the options say. */
  async rememberMessages(options: ThreadIds & { last?: number } = {}): Promise<Message[]> {
    return this.#history.read(await this.#find(options), options)
  }

  /** The messages of a thread, or some of them, oldest first. */
  async getMessages(options: ThreadIds & SelectMessagesOptions & FilesOptions = {}): Promise<Message[]> {
    const key = await this.#find(options)
    return this.#shown(key, await selectMessages(this.storage, key, options), options)
  }

  /** The messages of a thread, page by page. */
  async listMessages(
    options: ThreadIds & Pick<ListMessagesOptions, 'limit' | 'cursor' | 'order'> & FilesOptions = {},
  ): Promise<Page<Message>> {
    const { limit, cursor, order } = options
    const key = await this.#find(options)
    const { items, ...page } = await this.storage.listMessages({ ...key, limit, cursor, order })
    const messages = items.map(({ message }) => message)
    return { items: await this.#shown(key, messages, options), ...page }
  }

  /** Messages that bear on a text, with their neighbours, as recall finds them; by thread, and in it oldest first. */
  async query(options: ThreadIds & QueryOptions): Promise<Message[]> {
    const key = await this.#find(options)
    return queryMessages(this.storage, key, { ...recallOptions(this.#options), ...options })
  }

  /** Saves a message at the end of a thread; one whose id is there already is replaced. */
  async addMessage(message: MessageInput, options: ThreadIds = {}): Promise<Message> {
    const [saved] = await this.saveMessages([message], options)
    return saved as Message
  }

  /**
   * Saves messages at the end of their threads; one whose id is there already is replaced. A message says itself which
   * thread it belongs to, or `options` do. Messages of one thread are saved together or not at all.
   */
  async saveMessages(messages: readonly MessageInput[], options: ThreadIds = {}): Promise<Message[]> {
    const saved: Message[] = []
    const byThread = new Map<string, { key: ThreadKey; messages: Message[] }>()
    for (const input of messages) {
      const message = toMessage(input)
      const key = await this.#find({
        threadId: options.threadId ?? message.threadId,
        resourceId: options.resourceId ?? message.resourceId,
      })
      const name = JSON.stringify([key.threadId, key.resourceId])
      const group = byThread.get(name) ?? { key, messages: [] }
      byThread.set(name, group)
      group.messages.push(message)
      saved.push(ofThread(message, key))
    }
    for (const group of byThread.values()) {
      const messageIds = messages.flatMap(({ id }) => id ?? [])
      await this.#forgetting(group.key, { messageIds, as: 'edited' }, () =>
        this.#save(group.key, group.messages),
      )
    }
    return saved
  }

  /** Removes messages of a thread by id. Returns how many were there. */
  async deleteMessages(messageIds: string | readonly string[], options: ThreadIds = {}): Promise<number> {
    const key = await this.#find(options)
    const ids = typeof messageIds === 'string' ? [messageIds] : messageIds
    return this.#forgetting(key, { messageIds: ids, as: 'deleted' }, () =>
      this.storage.deleteMessages({ ...key, messageIds: ids }),
    )
  }

  /** The thread, if it is there. */
  async getThreadById(options: ThreadIds = {}): Promise<Thread | undefined> {
    return this.storage.getThread(await this.#find(options))
  }

  /** Threads of a resource, or of none, last changed first, page by page. */
  async getThreads(options: ListThreadsOptions = {}): Promise<Page<Thread>> {
    await this.#seed()
    return this.storage.listThreads(options)
  }

  /**
   * Threads of a resource, or of none, with a word of the query in their title or messages, or with certain metadata; best
   * first. With each the message that matches best, if one does.
   */
  async searchThreads(options: SearchThreadsOptions = {}): Promise<FoundThread[]> {
    await this.#seed()
    const { searchThreads } = await threads()
    return searchThreads(this.storage, options)
  }

  /**
   * Creates a thread.
   *
   * @throws MillraceError `STORAGE_CONFLICT` if it is there already
   */
  async createThread({
    threadId = crypto.randomUUID(),
    ...thread
  }: ThreadIds & ThreadChanges = {}): Promise<Thread> {
    await this.#seed()
    return this.storage.saveThread({ ...thread, threadId, ifVersion: 0 })
  }

  /** Creates the thread, or changes what is given of it. */
  async saveThread({ title, metadata, ...ids }: ThreadIds & ThreadChanges): Promise<Thread> {
    return this.storage.saveThread({ ...(await this.#find(ids)), title, metadata })
  }

  /** Changes what is given of a thread. `undefined` if there is no such thread. */
  async updateThread({ title, metadata, ...ids }: ThreadIds & ThreadChanges): Promise<Thread | undefined> {
    return changeThread(this.storage, await this.#find(ids), () => ({ title, metadata }))
  }

  /** Removes a thread with its messages and suspended runs. Returns whether it was there. */
  async deleteThread(thread: string | ThreadIds): Promise<boolean> {
    const ids = typeof thread === 'string' ? { threadId: thread } : thread
    const key = await this.#find(ids)
    await this.#vectors?.deleteVectors(key)
    const { cutOfThread } = await editing()
    return this.#withoutNotes(key, cutOfThread(key.threadId), () => this.storage.deleteThread(key))
  }

  /**
   * Removes all there is of a resource: threads, messages, notes, working memory, and what else the store keeps for it,
   * such as suspended runs and counters.
   */
  async deleteResource({ resourceId }: { resourceId: string }): Promise<void> {
    await this.#vectors?.deleteVectors({ resourceId })
    await this.storage.deleteResource({ resourceId })
  }

  /**
   * Deletes what `retention` keeps no longer, in all threads of a resource, or of none. Call it from time to time: threads
   * that nobody writes to are not looked at otherwise.
   *
   * @returns How many messages were deleted
   */
  async applyRetention({ resourceId }: { resourceId?: string | undefined } = {}): Promise<number> {
    let count = 0
    let cursor: string | undefined
    do {
      const page = await this.storage.listThreads({ resourceId, orderBy: 'createdAt', cursor })
      for (const { id } of page.items) {
        count += await this.#deleteExpired({ threadId: id, ...(resourceId !== undefined && { resourceId }) })
      }
      cursor = page.nextCursor
    } while (cursor !== undefined)
    return count
  }

  /**
   * All there is of a resource in this memory, as lines of JSON that are read as they are asked for: its threads with their
   * messages, files, titles and metadata, working memory and notes. Not vectors, runs and counters. What changes meanwhile
   * may be in it or not.
   *
   * @example for await (const line of memory.exportResource({ resourceId: 'ada' })) file.write(line)
   */
  async *exportResource({ resourceId }: { resourceId: string }): AsyncGenerator<string, void> {
    const { exportResource } = await copying()
    yield* exportResource(this.storage, { resourceId })
  }

  /**
   * Stores what `exportResource` has given, in a resource that has nothing yet. If that fails, the resource has nothing
   * again. Embed its messages with `backfill`.
   *
   * @param source Text or bytes, in pieces of any size
   * @throws MillraceError `STORAGE_CONFLICT` if the resource has something, `STORAGE_INPUT_INVALID` if the export is not whole
   */
  async importResource(source: ExportSource, options: ImportOptions = {}): Promise<ImportCounts> {
    const { importResource } = await copying()
    return importResource(this.storage, source, options)
  }

  /**
   * Copies a thread with its messages, their files and vectors, and its notes, for a conversation that goes on in two ways.
   * If it fails, nothing of the copy is left.
   *
   * @throws MillraceError `STORAGE_INPUT_INVALID` if there is no such thread, `STORAGE_CONFLICT` if the new one is there
   */
  async cloneThread(options: Omit<CloneThreadOptions, keyof ThreadKey> & ThreadIds): Promise<Thread> {
    const { cloneThread } = await threads()
    return cloneThread(
      { storage: this.storage, vectors: this.#vectors },
      { ...options, ...(await this.#find(options)) },
    )
  }

  /** What is known of the resource, or of the thread: see `workingMemory`. Empty if nothing is. */
  async getWorkingMemory(ids: ThreadIds = {}): Promise<WorkingMemory> {
    const { scope = 'resource' } = this.#options.workingMemory ?? {}
    const place = statePlace(await this.#find(ids), scope)
    return workingMemoryOf(await readState(this.storage, place))
  }

  /**
   * Merges facts into the working memory, where `null` deletes one; with `updateStrategy: 'replace'` they take its place.
   * Returns what it is then.
   *
   * @throws MillraceError `CONFIG_INVALID` without `workingMemory` among the options, `STORAGE_INPUT_INVALID` if a fact
   * does not fit its template or schema, or together they are too large
   */
  async updateWorkingMemory(facts: WorkingMemory, ids: ThreadIds = {}): Promise<WorkingMemory> {
    const { workingMemory } = this.#options
    if (!workingMemory) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'This memory has no working memory. Give it { workingMemory }.',
      )
    }
    const { scope = 'resource' } = workingMemory
    const place = statePlace(await this.#find(ids), scope)
    return updateWorkingMemory([facts], { ...rulesOf(workingMemory), storage: this.storage, place })
  }

  /** The notes of the thread, or of the resource, in the order in which they were made: see `observations`. */
  async getObservations(ids: ThreadIds = {}): Promise<Observation[]> {
    const { place } = await this.#notesOf(ids)
    const { listObservations } = await editing()
    return listObservations(this.storage, place)
  }

  /**
   * Takes notes now of what there are none of, however little it is: at the end of a conversation, or for messages that
   * were stored before.
   *
   * @throws MillraceError `CONFIG_INVALID` if `observations` have no model of their own, and no functions
   */
  async observe(ids: ThreadIds = {}): Promise<Observation[]> {
    const { observations, key, place } = await this.#notesOf(ids)
    await observations.observe(this.storage, key, { all: true })
    const { listObservations } = await editing()
    return listObservations(this.storage, place)
  }

  /**
   * Changes what is given of a note. `undefined` if there is no such note.
   *
   * @throws MillraceError `STORAGE_INPUT_INVALID` if the text is empty or the date is none
   */
  async updateObservation(
    id: string,
    changes: Partial<Pick<NewObservation, 'text' | 'date'>>,
    ids: ThreadIds = {},
  ): Promise<Observation | undefined> {
    const { place } = await this.#notesOf(ids)
    const { updateObservation } = await editing()
    return updateObservation(this.storage, place, { id, ...changes })
  }

  /** Removes notes by id. Returns how many were there. */
  async deleteObservations(observationIds: string | readonly string[], ids: ThreadIds = {}): Promise<number> {
    const { place } = await this.#notesOf(ids)
    const wanted = typeof observationIds === 'string' ? [observationIds] : observationIds
    const { deleteObservations } = await editing()
    return deleteObservations(this.storage, place, wanted)
  }

  /** Takes back the last edit or deletion of notes, or their last merging by the reflector. Returns whether there was one. */
  async undoObservations(ids: ThreadIds = {}): Promise<boolean> {
    const { place } = await this.#notesOf(ids)
    const { undoObservations } = await editing()
    return undoObservations(this.storage, place)
  }

  get #vectors(): VectorStore | undefined {
    return recallOptions(this.#options).vectors
  }

  async #notesOf(ids: ThreadIds): Promise<{ observations: Observations; key: ThreadKey; place: StatePlace }> {
    const observations = this.#observations
    if (!observations) {
      throw new MillraceError('CONFIG_INVALID', 'This memory takes no notes. Give it { observations }.')
    }
    const key = await this.#find(ids)
    return { observations, key, place: observations.placeOf(key) }
  }

  /** Notes of messages may still say what was edited or deleted: what is left of their messages is read again. */
  async #forgetting<T>(
    key: ThreadKey,
    messages: { messageIds: readonly string[]; as: 'deleted' | 'edited' },
    change: () => Promise<T>,
  ): Promise<T> {
    const { messageIds } = messages
    if (messageIds.length > 0) await this.#vectors?.deleteVectors({ ...key, messageIds })
    if (!this.#observations || messageIds.length === 0) return change()
    const { cutOf } = await editing()
    const cut = await cutOf(this.storage, key, messages)
    return cut ? this.#withoutNotes(key, cut, change) : change()
  }

  /** Before the change, so that no notes outlive their messages if the process ends; and after it, for notes made meanwhile. */
  async #withoutNotes<T>(key: ThreadKey, cut: Cut, change: () => Promise<T>): Promise<T> {
    if (!this.#observations) return change()
    const place = this.#observations.placeOf(key)
    const { forgetObservations } = await editing()
    await forgetObservations(this.storage, place, cut)
    const changed = await change()
    await forgetObservations(this.storage, place, cut)
    return changed
  }

  async #save(key: ThreadKey, messages: readonly Message[]): Promise<void> {
    const { maxInlineBytes } = this.#options
    await this.storage.saveMessages({
      ...key,
      ...(await withFilesAside(this.storage, messages, { maxInlineBytes })),
    })
  }

  async #shown(key: ThreadKey, messages: Message[], { files = 'inline' }: FilesOptions): Promise<Message[]> {
    return files === 'inline' ? withFiles(this.storage, key, messages) : messages
  }

  /** Returns how many there were. Notes of them go with them. */
  async #deleteExpired(key: ThreadKey): Promise<number> {
    const { retention } = this.#options
    let count = 0
    if (!retention) return count
    for await (const messageIds of expiredMessages(this.storage, key, retention)) {
      count += await this.deleteMessages(messageIds, key)
    }
    return count
  }

  /** Which conversation is meant. Whatever reads or saves asks this first, so seeds are there by then. */
  #find(ids: ThreadIds): ThreadKey | Promise<ThreadKey> {
    const { threads = [] } = this.#options
    const key = this.#defaultThread.find(ids)
    return threads.length === 0 ? key : this.#seed().then(() => key)
  }

  #seed(): Promise<void> {
    this.#seeded ??= seedThreads(this.storage, this.#options.threads ?? []).catch((error) => {
      this.#seeded = undefined
      throw error
    })
    return this.#seeded
  }
}

/** Loading and saving. Observations tie them together: what is loaded decides on what notes are taken of after saving. */
function historyOf(options: MemoryOptions & MessagePersistenceProcessorOptions): {
  history: MessageHistoryProcessor
  persistence: Processor
} {
  if (options.observations) {
    const both = new MessageHistoryProcessor(options)
    return { history: both, persistence: both }
  }
  const { persist: _, generateTitle: __, maxInlineBytes: ___, ...loading } = options
  return {
    history: new MessageHistoryProcessor(loading),
    persistence: new MessagePersistenceProcessor(options),
  }
}

function ofThread(message: Message, { threadId, resourceId }: ThreadKey): Message {
  return { ...message, threadId, ...(resourceId !== undefined && { resourceId }) }
}

function recallOptions({
  semanticRecall,
}: MemoryOptions): Exclude<MemoryOptions['semanticRecall'], boolean | undefined> {
  return typeof semanticRecall === 'object' ? semanticRecall : {}
}
