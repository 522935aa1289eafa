import { pickOptions, requireOptions } from '../option-names.ts'
import { toPage } from './arguments.ts'
import type { GetBlobsOptions, MessageBlob } from './blob-store.ts'
import type { AddToCounterOptions, Counter, KeyOptions, SetKeyOptions } from './counter-store.ts'
import { InMemoryCounters } from './in-memory-counters.ts'
import { InMemoryRunStore } from './in-memory-run-store.ts'
import { InMemoryStreams } from './in-memory-streams.ts'
import { InMemoryThread, type MessageRow, toStoredMessage } from './in-memory-thread.ts'
import {
  inBlobOrder,
  inThreadOrder,
  parseDeleteMessages,
  parseGetBlobs,
  parseGetMessages,
  parseListMessages,
  parseSaveMessages,
  type SaveMessagesColumns,
} from './message-arguments.ts'
import type {
  DeleteMessagesOptions,
  GetMessagesOptions,
  ListMessagesOptions,
  SaveMessagesOptions,
  StoredMessage,
} from './message-store.ts'
import type { Owner, Page } from './owner.ts'
import type { Resource, SaveResourceOptions } from './resource-store.ts'
import type {
  ClaimRunOptions,
  FoundRun,
  RunChanges,
  RunClaim,
  RunFilter,
  RunLease,
  RunLimits,
  RunState,
  SaveRunOptions,
  StoredRun,
  SuspendedRun,
} from './run-store.ts'
import {
  checkDimensions,
  type FilterColumns,
  parseListMessagesWithoutVector,
  parseSaveVectors,
  parseSearchMessages,
  parseSearchVectors,
} from './search-arguments.ts'
import type {
  ListMessagesWithoutVectorOptions,
  MessageHit,
  SaveVectorsOptions,
  SearchMessagesOptions,
  SearchVectorsOptions,
} from './search-store.ts'
import type { Store, StoreCapabilities, StoreLimits } from './store.ts'
import { closed, conflict } from './store-errors.ts'
import { RUN_LIMITS, STORE_LIMITS } from './store-limits.ts'
import type { AppendToStreamOptions, ReadStreamOptions, StreamKey, StreamPart } from './stream-store.ts'
import {
  parseListThreads,
  parseResourceKey,
  parseSaveResource,
  parseSaveThread,
  parseThreadKey,
  type ThreadColumns,
} from './thread-arguments.ts'
import { type BestMessage, parseSearchThreads, rankThreads } from './thread-search.ts'
import type {
  ListThreadsOptions,
  SaveThreadOptions,
  SearchThreadsOptions,
  Thread,
  ThreadHit,
  ThreadKey,
} from './thread-store.ts'
import { WordIndex } from './word-index.ts'

/** The data of one resource, or of none. */
interface Owned {
  threads: Map<string, InMemoryThread>
  words: WordIndex<MessageRow>
  resource:
    | { metadata: string; state: string; version: number; createdAt: number; updatedAt: number }
    | undefined
  /** Number of dimensions of vectors, by embedding model. */
  dimensions: Map<string, number>
}

/**
 * A store in memory. Its data is lost when the process ends. It implements the whole contract, and is its shortest
 * implementation to read.
 */
export class InMemoryStore implements Store {
  readonly specVersion = 'v1'
  readonly capabilities: StoreCapabilities = { search: true, vectors: true, blobs: true, persistent: false }
  readonly #limits: StoreLimits
  readonly #runs: InMemoryRunStore
  readonly #streams: InMemoryStreams
  readonly #counters = new InMemoryCounters()
  #owners = new Map<string, Owned>()
  /** A counter for everything that is ordered. */
  #place = 0
  #closed = false

  constructor(given: StoreLimits = {}) {
    const limits = requireOptions('InMemoryStore', given, STORE_LIMITS)
    this.#limits = limits
    this.#runs = new InMemoryRunStore(pickOptions<RunLimits>(limits, RUN_LIMITS))
    this.#streams = new InMemoryStreams(limits)
  }

  async migrate(): Promise<void> {
    this.#checkOpen()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#owners = new Map()
  }

  async getThread(key: ThreadKey): Promise<Thread | undefined> {
    return this.#thread(parseThreadKey(key))?.toThread()
  }

  async saveThread(options: SaveThreadOptions): Promise<Thread> {
    const { ifVersion, ...columns } = parseSaveThread(options)
    const found = this.#thread(columns)
    checkVersion('thread', found?.version ?? 0, ifVersion)
    const thread = found ?? this.#createThread(columns)
    thread.change(columns)
    thread.touch(++this.#place)
    return thread.toThread()
  }

  async listThreads(options: ListThreadsOptions): Promise<Page<Thread>> {
    const { owner, orderBy, limit, after = Number.POSITIVE_INFINITY } = parseListThreads(options)
    const place = (thread: InMemoryThread): number =>
      orderBy === 'createdAt' ? thread.created : thread.changed
    const threads = [...(this.#owned(owner)?.threads.values() ?? [])]
      .filter((thread) => place(thread) < after)
      .sort((left, right) => place(right) - place(left))
    return toPage(threads.slice(0, limit + 1), { limit, place, item: (thread) => thread.toThread() })
  }

  async searchThreads(options: SearchThreadsOptions): Promise<ThreadHit[]> {
    const search = parseSearchThreads(options)
    const owned = this.#owned(search.owner)
    if (!owned) return []
    const best = new Map<string, BestMessage & { key: number }>()
    for (const [{ thread, id, key }, score] of owned.words.search(search.terms ?? [])) {
      const { threadId } = thread.key
      const other = best.get(threadId)
      const isBetter = !other || score > other.score || (score === other.score && key > other.key)
      if (isBetter) best.set(threadId, { threadId, messageId: id, score, key })
    }
    const ranked = rankThreads(
      [...owned.threads.values()].map((thread) => thread.toSearch()),
      search,
      [...best.values()],
    )
    return ranked.map(({ threadId, ...hit }) => ({
      thread: (owned.threads.get(threadId) as InMemoryThread).toThread(),
      ...hit,
    }))
  }

  async deleteThread(key: ThreadKey): Promise<boolean> {
    const { owner, threadId } = parseThreadKey(key)
    const owned = this.#owned(owner)
    this.#runs.deleteRuns({ owner, threadId })
    this.#streams.deleteThread({ owner, threadId })
    for (const row of owned?.threads.get(threadId)?.rows ?? []) owned?.words.remove(row, row.terms)
    return owned?.threads.delete(threadId) ?? false
  }

  async saveMessages(options: SaveMessagesOptions): Promise<Thread> {
    this.#checkOpen()
    const parsed = parseSaveMessages(options, this.#limits)
    return this.#saveMessages(parsed instanceof Promise ? await parsed : parsed)
  }

  #saveMessages({ messages, changes, deleteAfter, blobs, vectorsFrom, ...key }: SaveMessagesColumns): Thread {
    const thread = this.#thread(key) ?? this.#createThread(key)
    const { words } = this.#ownedOrNew(key.owner)
    const last = deleteAfter === undefined ? undefined : thread.find(deleteAfter)
    if (last) this.#removeRows(thread, thread.rows.slice(thread.indexFrom(last.sequence + 1)))
    for (const message of messages) {
      const old = thread.find(message.id)
      if (old) words.remove(old, old.terms)
      const row = old ? thread.replace(old, message) : thread.append(message, ++this.#place)
      words.add(row, row.terms)
    }
    for (const blob of blobs) thread.addBlob(blob)
    for (const { messageId, originalId } of vectorsFrom?.messages ?? []) {
      const row = thread.find(messageId)
      const original = this.#thread({ ...key, threadId: vectorsFrom?.threadId ?? '' })?.find(originalId)
      if (row && original?.vector && original.terms === row.terms) row.vector = original.vector
    }
    if (thread.version === 0 || changes.title !== undefined || changes.metadata !== undefined) {
      thread.change(changes)
    }
    thread.touch(++this.#place)
    return thread.toThread()
  }

  async getBlobs(options: GetBlobsOptions): Promise<MessageBlob[]> {
    const { blobs, ...key } = parseGetBlobs(options)
    const thread = this.#thread(key)
    const found = blobs.flatMap(({ messageId, id }) => {
      const data = thread?.find(messageId)?.blobs?.get(id)
      return data ? [{ messageId, id, data: data.slice() }] : []
    })
    return inBlobOrder(found, blobs)
  }

  async listMessages(options: ListMessagesOptions): Promise<Page<StoredMessage>> {
    const { descending, limit, after, before, ...key } = parseListMessages(options)
    const thread = this.#thread(key)
    const place = ({ sequence }: MessageRow): number => sequence
    if (!thread) return { items: [] }
    const next = before === undefined ? undefined : thread.find(before)
    const length = next ? thread.indexFrom(next.sequence) : thread.rows.length
    if (descending) {
      const end = after === undefined ? length : Math.min(thread.indexFrom(after), length)
      const rows = thread.rows.slice(Math.max(end - limit - 1, 0), end).reverse()
      return toPage(rows, { limit, place, item: toStoredMessage })
    }
    const start = after === undefined ? 0 : thread.indexFrom(after + 1)
    const rows = thread.rows.slice(start, Math.min(start + limit + 1, length))
    return toPage(rows, { limit, place, item: toStoredMessage })
  }

  async getMessages(options: GetMessagesOptions): Promise<StoredMessage[]> {
    const { owner, messages, previous, next } = parseGetMessages(options)
    const found = messages.flatMap(({ threadId, messageId }) => {
      const thread = this.#thread({ owner, threadId })
      const row = thread?.find(messageId)
      if (!thread || !row) return []
      const index = thread.indexFrom(row.sequence)
      return thread.rows.slice(Math.max(index - previous, 0), index + next + 1).map(toStoredMessage)
    })
    return inThreadOrder(
      found,
      messages.map(({ threadId }) => threadId),
    )
  }

  async deleteMessages(options: DeleteMessagesOptions): Promise<number> {
    const { ids, ...key } = parseDeleteMessages(options)
    const thread = this.#thread(key)
    const rows = ids.flatMap((id) => thread?.find(id) ?? [])
    if (!thread || rows.length === 0) return 0
    this.#removeRows(thread, rows)
    thread.touch(++this.#place)
    return rows.length
  }

  async getResource(key: { resourceId: string }): Promise<Resource | undefined> {
    const { resourceId } = parseResourceKey(key)
    const { resource } = this.#owned(resourceId) ?? {}
    if (!resource) return undefined
    const { metadata, state, version, createdAt, updatedAt } = resource
    return {
      id: resourceId,
      metadata: JSON.parse(metadata),
      state: JSON.parse(state),
      version,
      createdAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
    }
  }

  async saveResource(options: SaveResourceOptions): Promise<Resource> {
    const { resourceId, metadata, state, ifVersion } = parseSaveResource(options)
    const found = this.#owned(resourceId)?.resource
    checkVersion('resource', found?.version ?? 0, ifVersion)
    const now = Date.now()
    this.#ownedOrNew(resourceId).resource = {
      metadata: metadata ?? found?.metadata ?? '{}',
      state: state ?? found?.state ?? '{}',
      version: (found?.version ?? 0) + 1,
      createdAt: found?.createdAt ?? now,
      updatedAt: now,
    }
    return (await this.getResource({ resourceId })) as Resource
  }

  async deleteResource(key: { resourceId: string }): Promise<void> {
    this.#checkOpen()
    const { resourceId: owner } = parseResourceKey(key)
    this.#owners.delete(owner)
    this.#runs.deleteRuns({ owner })
    this.#streams.deleteOwner(owner)
    this.#counters.deleteOwner(owner)
  }

  async searchMessages(options: SearchMessagesOptions): Promise<MessageHit[]> {
    const { filter, terms, limit } = parseSearchMessages(options)
    const scores = this.#owned(filter.owner)?.words.search(terms) ?? new Map<MessageRow, number>()
    return best(
      [...scores].filter(([row]) => passes(row, filter)),
      limit,
    )
  }

  async saveVectors(options: SaveVectorsOptions): Promise<void> {
    const { model, dimensions, vectors, ...key } = parseSaveVectors(options)
    const thread = this.#thread(key)
    if (!thread || vectors.length === 0) return
    const known = this.#ownedOrNew(key.owner).dimensions
    checkDimensions(dimensions, known.get(model) ?? dimensions)
    known.set(model, dimensions)
    for (const { messageId, vector } of vectors) {
      const row = thread.find(messageId)
      if (row && row.terms !== '') row.vector = { model, values: vector }
    }
  }

  async searchVectors(options: SearchVectorsOptions): Promise<MessageHit[]> {
    const { filter, model, vector, limit, minScore } = parseSearchVectors(options)
    const known = this.#owned(filter.owner)?.dimensions.get(model)
    if (known === undefined) return []
    checkDimensions(vector.length, known)
    const scores = this.#rows(filter).flatMap((row): [MessageRow, number][] =>
      row.vector?.model === model && passes(row, filter)
        ? [[row, dotProduct(row.vector.values, vector)]]
        : [],
    )
    return best(
      scores.filter(([, score]) => score >= minScore),
      limit,
    )
  }

  async listMessagesWithoutVector(options: ListMessagesWithoutVectorOptions): Promise<Page<StoredMessage>> {
    const { model, limit, after = 0, ...scope } = parseListMessagesWithoutVector(options)
    const rows = this.#rows(scope)
      .filter(({ key, terms, vector }) => key > after && terms !== '' && vector?.model !== model)
      .sort((left, right) => left.key - right.key)
    return toPage(rows.slice(0, limit + 1), { limit, place: ({ key }) => key, item: toStoredMessage })
  }

  async addToCounter(options: AddToCounterOptions): Promise<Counter> {
    this.#checkOpen()
    return this.#counters.add(options)
  }

  async getKey(options: KeyOptions): Promise<string | undefined> {
    this.#checkOpen()
    return this.#counters.getKey(options)
  }

  async setKey(options: SetKeyOptions): Promise<boolean> {
    this.#checkOpen()
    return this.#counters.setKey(options)
  }

  async deleteKey(options: KeyOptions): Promise<boolean> {
    this.#checkOpen()
    return this.#counters.deleteKey(options)
  }

  async saveRun(run: StoredRun, options?: SaveRunOptions): Promise<void> {
    this.#checkOpen()
    return this.#runs.saveRun(run, options)
  }

  async getRun(runId: string, owner?: Owner): Promise<FoundRun | undefined> {
    this.#checkOpen()
    return this.#runs.getRun(runId, owner)
  }

  async claimRun(runId: string, options: ClaimRunOptions): Promise<RunClaim | undefined> {
    this.#checkOpen()
    return this.#runs.claimRun(runId, options)
  }

  async updateRun(lease: RunLease, changes: RunChanges): Promise<void> {
    this.#checkOpen()
    return this.#runs.updateRun(lease, changes)
  }

  async endRun(lease: RunLease, as: 'done' | 'interrupted' | 'released'): Promise<void> {
    this.#checkOpen()
    return this.#runs.endRun(lease, as)
  }

  async releaseRun(runId: string, owner?: Owner): Promise<RunState | undefined> {
    this.#checkOpen()
    return this.#runs.releaseRun(runId, owner)
  }

  async listRuns(filter?: RunFilter): Promise<SuspendedRun[]> {
    this.#checkOpen()
    return this.#runs.listRuns(filter)
  }

  async appendToStream(options: AppendToStreamOptions): Promise<void> {
    this.#checkOpen()
    this.#streams.append(options)
  }

  async readStream(options: ReadStreamOptions): Promise<StreamPart | undefined> {
    this.#checkOpen()
    return this.#streams.read(options)
  }

  async deleteStream(key: StreamKey): Promise<boolean> {
    this.#checkOpen()
    return this.#streams.delete(key)
  }

  #checkOpen(): void {
    if (this.#closed) throw closed('InMemoryStore')
  }

  #owned(owner: string): Owned | undefined {
    this.#checkOpen()
    return this.#owners.get(owner)
  }

  #ownedOrNew(owner: string): Owned {
    const found = this.#owned(owner)
    if (found) return found
    const owned: Owned = {
      threads: new Map(),
      words: new WordIndex(),
      resource: undefined,
      dimensions: new Map(),
    }
    this.#owners.set(owner, owned)
    return owned
  }

  #thread({ owner, threadId }: ThreadColumns): InMemoryThread | undefined {
    return this.#owned(owner)?.threads.get(threadId)
  }

  #createThread({ owner, threadId }: ThreadColumns): InMemoryThread {
    const thread = new InMemoryThread({ owner, threadId }, ++this.#place)
    this.#ownedOrNew(owner).threads.set(threadId, thread)
    return thread
  }

  #removeRows(thread: InMemoryThread, rows: readonly MessageRow[]): void {
    thread.remove(rows)
    for (const row of rows) this.#owned(thread.key.owner)?.words.remove(row, row.terms)
  }

  /** The messages of one thread, or of all. */
  #rows({ owner, threadId }: { owner: string; threadId: string | undefined }): readonly MessageRow[] {
    if (threadId !== undefined) return this.#thread({ owner, threadId })?.rows ?? []
    return [...(this.#owned(owner)?.threads.values() ?? [])].flatMap(({ rows }) => rows)
  }
}

function checkVersion(what: string, found: number, expected: number | undefined): void {
  if (expected !== undefined && expected !== found) throw conflict(what, { expected, found })
}

function passes(
  { role, createdAt, content, thread }: MessageRow,
  { threadId, role: wanted, createdFrom, createdBefore, metadata }: FilterColumns,
): boolean {
  if (threadId !== undefined && thread.key.threadId !== threadId) return false
  if (wanted !== undefined && role !== wanted) return false
  if (createdFrom !== undefined && createdAt < createdFrom) return false
  if (createdBefore !== undefined && createdAt >= createdBefore) return false
  if (metadata.length === 0) return true
  const found = JSON.parse(content).metadata ?? {}
  return metadata.every(([name, value]) => Object.hasOwn(found, name) && found[name] === value)
}

function best(scores: [MessageRow, number][], limit: number): MessageHit[] {
  return scores
    .sort(([left, leftScore], [right, rightScore]) => rightScore - leftScore || right.key - left.key)
    .slice(0, limit)
    .map(([row, score]) => ({ ...toStoredMessage(row), score }))
}

function dotProduct(left: Float32Array, right: Float32Array): number {
  let sum = 0
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0)
  return sum
}
