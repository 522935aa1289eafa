import {
  type ListMessagesOptions,
  type ListThreadsOptions,
  type Message,
  MillraceError,
  type Page,
  type ProcessOutputResultArgs,
  type Processor,
  type ProcessorProvider,
  pickOptions,
  requireOptions,
  type SearchThreadsOptions,
  type Store,
  type Thread,
  type ThreadChanges,
  type ThreadKey,
  type VectorStore,
} from '@millrace/core'
import { checkId, InMemoryStore } from '@millrace/core/storage'
import { externalizeFiles, inlineFiles } from './attachments/stored-files.ts'
import { MEMORY_OPTIONS, type MemoryOptions } from './memory-options.ts'
import { fromMemoryProcessor } from './memory-processor/from-memory-processor.ts'
import {
  MESSAGE_HISTORY_PROCESSOR_OPTIONS,
  MessageHistoryProcessor,
  type MessageHistoryProcessorOptions,
} from './message-history/message-history-processor.ts'
import {
  MESSAGE_PERSISTENCE_PROCESSOR_OPTIONS,
  MessagePersistenceProcessor,
  type MessagePersistenceProcessorOptions,
} from './message-history/message-persistence-processor.ts'
import { type SelectMessagesOptions, selectMessages } from './message-history/select-messages.ts'
import { type MessageInput, toMessage } from './message-input.ts'
import {
  CLONE_THREAD_OPTIONS,
  type FilesOptions,
  GET_MESSAGES_OPTIONS,
  LIST_MESSAGES_OPTIONS,
  LIST_THREADS_OPTIONS,
  REMEMBER_OPTIONS,
  RESOURCE,
  SEARCH_THREADS_OPTIONS,
  THREAD_OPTIONS,
} from './method-options.ts'
import type { NewObservation, Observation } from './observations/observation.ts'
import { Observations } from './observations/observations.ts'
import type { Cut } from './observations/source-range.ts'
import type { ImportCounts, ImportOptions } from './resource-data/import-resource.ts'
import type { ExportSource } from './resource-data/lines.ts'
import { QUERY_OPTIONS, type QueryOptions, queryMessages } from './semantic-recall/query-messages.ts'
import { SemanticRecallProcessor } from './semantic-recall/semantic-recall-processor.ts'
import { readState, type StateKey, stateKeyOf } from './stored-state.ts'
import { THREAD_IDS, type ThreadIds } from './thread-place.ts'
import { changeThread } from './threads/change-thread.ts'
import type { CloneThreadOptions } from './threads/clone-thread.ts'
import { DefaultThread } from './threads/default-thread.ts'
import { checkRetention, expiredMessages, retentionProcessor } from './threads/retention.ts'
import type { FoundThread } from './threads/search-threads.ts'
import { seedThreads } from './threads/seed-threads.ts'
import type { WorkingMemory } from './working-memory/shape.ts'
import { updateWorkingMemory, workingMemoryOf } from './working-memory/stored-working-memory.ts'
import { rulesOf, WorkingMemoryProcessor } from './working-memory/working-memory-processor.ts'

// Loaded on first use, because most programs use few of these methods.
const editing = () => import('./observations/edit-observations.ts')
const copying = () => import('./resource-data/index.ts')
const threads = () => import('./threads/index.ts')

/**
 * Stores conversations and gives the agent what it remembers of them: the last messages, and what the other
 * options add. Pass it to an agent as `memory`, put it into a list of processors, or spread what
 * `getInputProcessors` and `getOutputProcessors` return.
 *
 * A conversation is identified by its `threadId`. If it has a `resourceId`, it is only found with that
 * `resourceId`. If the store is lost with the process, calls can leave out both ids, as long as no call has
 * passed one: they then share one conversation, or one per resource.
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

  /** @throws MillraceError `CONFIG_INVALID` if an option is invalid; the message names it */
  constructor(given: MemoryOptions = {}) {
    const options = requireOptions('Memory', given, MEMORY_OPTIONS)
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
      // Such a processor may hide content from the model, so the run fails with it by default.
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

  /** The processors for input and model calls. Returns the same instances on each call. */
  getInputProcessors(): Processor[] {
    return [...this.#inputProcessors]
  }

  /** The processors for results. Returns the same instances on each call. */
  getOutputProcessors(): Processor[] {
    return [...this.#outputProcessors]
  }

  /**
   * The messages of a thread that the model would receive now, oldest first. `last` overrides `lastMessages`.
   */
  async rememberMessages(options: ThreadIds & { last?: number } = {}): Promise<Message[]> {
    const { last, ...ids } = requireOptions('memory.rememberMessages()', options, REMEMBER_OPTIONS)
    return this.#history.read(await this.#find(ids), { last })
  }

  /** The messages of a thread, or some of them, oldest first. */
  async getMessages(given: ThreadIds & SelectMessagesOptions & FilesOptions = {}): Promise<Message[]> {
    const options = requireOptions('memory.getMessages()', given, GET_MESSAGES_OPTIONS)
    const key = await this.#find(options)
    return this.#withFiles(key, await selectMessages(this.storage, key, options), options)
  }

  /** The messages of a thread, page by page. */
  async listMessages(
    given: ThreadIds & Pick<ListMessagesOptions, 'limit' | 'cursor' | 'order'> & FilesOptions = {},
  ): Promise<Page<Message>> {
    const options = requireOptions('memory.listMessages()', given, LIST_MESSAGES_OPTIONS)
    const { limit, cursor, order } = options
    const key = await this.#find(options)
    const { items, ...page } = await this.storage.listMessages({ ...key, limit, cursor, order })
    const messages = items.map(({ message }) => message)
    return { items: await this.#withFiles(key, messages, options), ...page }
  }

  /**
   * Searches messages by a text, as semantic recall does, and returns them with their neighbors: grouped by
   * thread, oldest first within a thread.
   */
  async query(given: ThreadIds & QueryOptions): Promise<Message[]> {
    const options = requireOptions('memory.query()', given, { ...THREAD_IDS, ...QUERY_OPTIONS })
    const key = await this.#find(options)
    return queryMessages(this.storage, key, { ...recallOptions(this.#options), ...options })
  }

  /** Adds a message at the end of a thread, or replaces the message with the same id. */
  async addMessage(message: MessageInput, options: ThreadIds = {}): Promise<Message> {
    const [saved] = await this.saveMessages(
      [message],
      requireOptions('memory.addMessage()', options, THREAD_IDS),
    )
    return saved as Message
  }

  /**
   * Adds messages at the end of their threads, or replaces messages with the same id. The thread is the
   * message's own `threadId`, else that of `options`. The messages of one thread are saved in one
   * transaction.
   */
  async saveMessages(messages: readonly MessageInput[], given: ThreadIds = {}): Promise<Message[]> {
    const options = requireOptions('memory.saveMessages()', given, THREAD_IDS)
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
      await this.#changeMessages(group.key, { messageIds, as: 'edited' }, () =>
        this.#save(group.key, group.messages),
      )
    }
    return saved
  }

  /** Deletes messages of a thread by id. Returns how many existed. */
  async deleteMessages(messageIds: string | readonly string[], options: ThreadIds = {}): Promise<number> {
    const key = await this.#find(requireOptions('memory.deleteMessages()', options, THREAD_IDS))
    const ids = typeof messageIds === 'string' ? [messageIds] : messageIds
    return this.#changeMessages(key, { messageIds: ids, as: 'deleted' }, () =>
      this.storage.deleteMessages({ ...key, messageIds: ids }),
    )
  }

  /** The thread, or `undefined` if it does not exist. */
  async getThreadById(options: ThreadIds = {}): Promise<Thread | undefined> {
    return this.storage.getThread(
      await this.#find(requireOptions('memory.getThreadById()', options, THREAD_IDS)),
    )
  }

  /** The threads of a resource, or those without a resource, page by page. Most recently changed first. */
  async getThreads(options: ListThreadsOptions = {}): Promise<Page<Thread>> {
    const filter = requireOptions('memory.getThreads()', options, LIST_THREADS_OPTIONS)
    await this.#seed()
    return this.storage.listThreads(filter)
  }

  /**
   * Finds threads of a resource, or those without a resource, by words in their title or messages, or by
   * metadata. Best match first, each with its best matching message, if any.
   */
  async searchThreads(options: SearchThreadsOptions = {}): Promise<FoundThread[]> {
    const search = requireOptions('memory.searchThreads()', options, SEARCH_THREADS_OPTIONS)
    await this.#seed()
    const { searchThreads } = await threads()
    return searchThreads(this.storage, search)
  }

  /**
   * Creates a thread.
   *
   * @throws MillraceError `STORAGE_CONFLICT` if the thread exists
   */
  async createThread(options: ThreadIds & ThreadChanges = {}): Promise<Thread> {
    const { threadId = crypto.randomUUID(), ...thread } = requireOptions(
      'memory.createThread()',
      options,
      THREAD_OPTIONS,
    )
    await this.#seed()
    return this.storage.saveThread({ ...thread, threadId, ifVersion: 0 })
  }

  /** Creates the thread, or updates the given fields of an existing one. */
  async saveThread(options: ThreadIds & ThreadChanges): Promise<Thread> {
    const { title, metadata, ...ids } = requireOptions('memory.saveThread()', options, THREAD_OPTIONS)
    return this.storage.saveThread({ ...(await this.#find(ids)), title, metadata })
  }

  /** Updates the given fields of a thread. `undefined` if it does not exist. */
  async updateThread(options: ThreadIds & ThreadChanges): Promise<Thread | undefined> {
    const { title, metadata, ...ids } = requireOptions('memory.updateThread()', options, THREAD_OPTIONS)
    return changeThread(this.storage, await this.#find(ids), () => ({ title, metadata }))
  }

  /** Deletes a thread with its messages and suspended runs. Returns whether it existed. */
  async deleteThread(thread: string | ThreadIds): Promise<boolean> {
    const given = typeof thread === 'string' ? { threadId: thread } : thread
    const ids = requireOptions('memory.deleteThread()', given, THREAD_IDS)
    const key = await this.#find(ids)
    await this.#vectors?.deleteVectors(key)
    const { cutOfThread } = await editing()
    return this.#dropNotesAround(key, cutOfThread(key.threadId), () => this.storage.deleteThread(key))
  }

  /**
   * Deletes everything stored for a resource: threads, messages, notes, working memory, suspended runs and
   * counters.
   */
  async deleteResource(options: { resourceId: string }): Promise<void> {
    const { resourceId } = requireOptions('memory.deleteResource()', options, RESOURCE)
    checkId('resourceId', resourceId)
    await this.#vectors?.deleteVectors({ resourceId, allThreads: true })
    await this.storage.deleteResource({ resourceId })
  }

  /**
   * Deletes the messages that `retention` no longer keeps, in all threads of a resource, or in all threads
   * without a resource. Call it regularly: otherwise a thread is only checked when one of its turns is saved.
   *
   * @returns The number of deleted messages
   */
  async applyRetention(options: { resourceId?: string | undefined } = {}): Promise<number> {
    const { resourceId } = requireOptions('memory.applyRetention()', options, { resourceId: 'optional' })
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
   * Exports everything this memory stores for a resource as JSON lines, read lazily: threads with their
   * messages, files, titles and metadata, working memory and notes. Vectors, runs and counters are not
   * exported. The export is not a snapshot: concurrent changes may or may not be included.
   *
   * @example for await (const line of memory.exportResource({ resourceId: 'ada' })) file.write(line)
   */
  async *exportResource(options: { resourceId: string }): AsyncGenerator<string, void> {
    const { resourceId } = requireOptions('memory.exportResource()', options, RESOURCE)
    const { exportResource } = await copying()
    yield* exportResource(this.storage, { resourceId })
  }

  /**
   * Imports what `exportResource` returned into an empty resource. If the import fails, the resource is empty
   * again. Vectors are not part of an export: create them with `backfill`.
   *
   * @param source Text or bytes, in chunks of any size
   * @throws MillraceError `STORAGE_CONFLICT` if the resource is not empty, `STORAGE_INPUT_INVALID` if the
   *   export is incomplete or damaged
   */
  async importResource(source: ExportSource, options: ImportOptions = {}): Promise<ImportCounts> {
    const into = requireOptions('memory.importResource()', options, { resourceId: 'optional' })
    const { importResource } = await copying()
    return importResource(this.storage, source, into)
  }

  /**
   * Copies a thread with its messages, files, vectors and notes, to continue a conversation in a second
   * thread. If it fails, no part of the copy remains.
   *
   * @throws MillraceError `STORAGE_INPUT_INVALID` if the thread does not exist, `STORAGE_CONFLICT` if the new
   *   one does
   */
  async cloneThread(given: Omit<CloneThreadOptions, keyof ThreadKey> & ThreadIds): Promise<Thread> {
    const options = requireOptions('memory.cloneThread()', given, CLONE_THREAD_OPTIONS)
    const { cloneThread } = await threads()
    return cloneThread(
      { storage: this.storage, vectors: this.#vectors },
      { ...options, ...(await this.#find(options)) },
    )
  }

  /**
   * The working memory of the resource, or of the thread: see `workingMemory`. An empty object if nothing is
   * stored.
   */
  async getWorkingMemory(ids: ThreadIds = {}): Promise<WorkingMemory> {
    const { scope = 'resource' } = this.#options.workingMemory ?? {}
    const stateKey = stateKeyOf(
      await this.#find(requireOptions('memory.getWorkingMemory()', ids, THREAD_IDS)),
      scope,
    )
    return workingMemoryOf(await readState(this.storage, stateKey))
  }

  /**
   * Merges facts into the working memory; `null` deletes a fact. With `updateStrategy: 'replace'` the facts
   * replace the whole working memory. Returns the new working memory.
   *
   * @throws MillraceError `CONFIG_INVALID` if the option `workingMemory` is not set, `STORAGE_INPUT_INVALID`
   *   if a fact does not match the template or schema, or the result is larger than `maxBytes`
   */
  async updateWorkingMemory(facts: WorkingMemory, ids: ThreadIds = {}): Promise<WorkingMemory> {
    const { workingMemory } = this.#options
    if (!workingMemory) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'This Memory has no working memory. Set its option workingMemory.',
      )
    }
    const { scope = 'resource' } = workingMemory
    const key = await this.#find(requireOptions('memory.updateWorkingMemory()', ids, THREAD_IDS))
    const stateKey = stateKeyOf(key, scope)
    return updateWorkingMemory([facts], { ...rulesOf(workingMemory), storage: this.storage, stateKey })
  }

  /** The notes of the thread, or of the resource, oldest first: see `observations`. */
  async getObservations(ids: ThreadIds = {}): Promise<Observation[]> {
    const { stateKey } = await this.#notesOf('getObservations', ids)
    const { listObservations } = await editing()
    return listObservations(this.storage, stateKey)
  }

  /**
   * Takes notes now of all messages without notes, even if they have fewer than `batchTokens` tokens. Call it
   * at the end of a conversation, or for messages that were stored before.
   *
   * @throws MillraceError `CONFIG_INVALID` if `observations` has neither a model nor the functions `observe`
   *   and `reflect`
   */
  async observe(ids: ThreadIds = {}): Promise<Observation[]> {
    const { observations, key, stateKey } = await this.#notesOf('observe', ids)
    await observations.observe(this.storage, key, { all: true })
    const { listObservations } = await editing()
    return listObservations(this.storage, stateKey)
  }

  /**
   * Updates the given fields of a note. `undefined` if it does not exist.
   *
   * @throws MillraceError `STORAGE_INPUT_INVALID` if the text is empty or the date is invalid
   */
  async updateObservation(
    id: string,
    changes: Partial<Pick<NewObservation, 'text' | 'date'>>,
    ids: ThreadIds = {},
  ): Promise<Observation | undefined> {
    const { stateKey } = await this.#notesOf('updateObservation', ids)
    const { text, date } = requireOptions('memory.updateObservation()', changes, {
      text: 'optional',
      date: 'optional',
    })
    const { updateObservation } = await editing()
    return updateObservation(this.storage, stateKey, {
      id,
      ...(text !== undefined && { text }),
      ...(date !== undefined && { date }),
    })
  }

  /** Deletes notes by id. Returns how many existed. */
  async deleteObservations(observationIds: string | readonly string[], ids: ThreadIds = {}): Promise<number> {
    const { stateKey } = await this.#notesOf('deleteObservations', ids)
    const wanted = typeof observationIds === 'string' ? [observationIds] : observationIds
    const { deleteObservations } = await editing()
    return deleteObservations(this.storage, stateKey, wanted)
  }

  /**
   * Reverts the last change to the notes: an edit, a deletion, or a merge by the reflector. Returns whether
   * there was one.
   */
  async undoObservations(ids: ThreadIds = {}): Promise<boolean> {
    const { stateKey } = await this.#notesOf('undoObservations', ids)
    const { undoObservations } = await editing()
    return undoObservations(this.storage, stateKey)
  }

  get #vectors(): VectorStore | undefined {
    return recallOptions(this.#options).vectors
  }

  async #notesOf(
    method: string,
    ids: ThreadIds,
  ): Promise<{ observations: Observations; key: ThreadKey; stateKey: StateKey }> {
    const observations = this.#observations
    if (!observations) {
      throw new MillraceError('CONFIG_INVALID', 'This Memory takes no notes. Set its option observations.')
    }
    const key = await this.#find(requireOptions(`memory.${method}()`, ids, THREAD_IDS))
    return { observations, key, stateKey: observations.stateKeyOf(key) }
  }

  /**
   * Deletes the notes made from edited or deleted messages, because they may repeat the old text. What
   * remains of their source messages is read again.
   */
  async #changeMessages<T>(
    key: ThreadKey,
    messages: { messageIds: readonly string[]; as: 'deleted' | 'edited' },
    change: () => Promise<T>,
  ): Promise<T> {
    const { messageIds } = messages
    if (messageIds.length > 0) await this.#vectors?.deleteVectors({ ...key, messageIds })
    if (!this.#observations || messageIds.length === 0) return change()
    const { cutOf } = await editing()
    const cut = await cutOf(this.storage, key, messages)
    return cut ? this.#dropNotesAround(key, cut, change) : change()
  }

  /**
   * Notes are deleted before the change, so that they do not outlive their messages if the process crashes;
   * and after it, to catch notes that were added concurrently.
   */
  async #dropNotesAround<T>(key: ThreadKey, cut: Cut, change: () => Promise<T>): Promise<T> {
    if (!this.#observations) return change()
    const stateKey = this.#observations.stateKeyOf(key)
    const { dropNotesOfCut } = await editing()
    await dropNotesOfCut(this.storage, stateKey, cut)
    const changed = await change()
    await dropNotesOfCut(this.storage, stateKey, cut)
    return changed
  }

  async #save(key: ThreadKey, messages: readonly Message[]): Promise<void> {
    const { maxInlineBytes } = this.#options
    await this.storage.saveMessages({
      ...key,
      ...(await externalizeFiles(this.storage, messages, { maxInlineBytes })),
    })
  }

  async #withFiles(
    key: ThreadKey,
    messages: Message[],
    { files = 'inline' }: FilesOptions,
  ): Promise<Message[]> {
    return files === 'inline' ? inlineFiles(this.storage, key, messages) : messages
  }

  /** Deletes expired messages with their notes. Returns the number of messages. */
  async #deleteExpired(key: ThreadKey): Promise<number> {
    const { retention } = this.#options
    let count = 0
    if (!retention) return count
    for await (const messageIds of expiredMessages(this.storage, key, retention)) {
      count += await this.deleteMessages(messageIds, key)
    }
    return count
  }

  /**
   * The thread that the ids refer to. All methods that read or write call this first, so that `threads` are
   * created before.
   */
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

/**
 * The processors that load and save history. With observations they are one processor, because what was
 * loaded decides which messages need notes after saving.
 */
function historyOf(options: MemoryOptions & MessagePersistenceProcessorOptions): {
  history: MessageHistoryProcessor
  persistence: Processor
} {
  const own = pickOptions<MessageHistoryProcessorOptions>(options, MESSAGE_HISTORY_PROCESSOR_OPTIONS)
  if (options.observations) {
    const both = new MessageHistoryProcessor(own)
    return { history: both, persistence: both }
  }
  const { persist: _, generateTitle: __, maxInlineBytes: ___, ...loading } = own
  const saving = pickOptions<MessagePersistenceProcessorOptions>(
    options,
    MESSAGE_PERSISTENCE_PROCESSOR_OPTIONS,
  )
  return {
    history: new MessageHistoryProcessor(loading),
    persistence: new MessagePersistenceProcessor(saving),
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
