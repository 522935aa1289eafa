import { type OptionNames, requireOptions } from '@millrace/core'
import {
  type AddToCounterOptions,
  type AppendToStreamOptions,
  type BestMessage,
  type ClaimRunOptions,
  type Counter,
  checkDimensions,
  closed,
  conflict,
  type DeleteMessagesOptions,
  type FoundRun,
  type GetBlobsOptions,
  type GetMessagesOptions,
  inBlobOrder,
  inThreadOrder,
  invalidInput,
  type KeyOptions,
  type ListMessagesOptions,
  type ListMessagesWithoutVectorOptions,
  type ListThreadsOptions,
  leaseLost,
  type MessageBlob,
  type MessageHit,
  type Owner,
  type Page,
  parseAddToCounter,
  parseAppendToStream,
  parseClaimRun,
  parseDeleteMessages,
  parseGetBlobs,
  parseGetMessages,
  parseKey,
  parseLeaseOptions,
  parseListMessages,
  parseListMessagesWithoutVector,
  parseListRuns,
  parseListThreads,
  parseReadStream,
  parseResourceKey,
  parseRunKey,
  parseRunLease,
  parseSaveMessages,
  parseSaveResource,
  parseSaveRun,
  parseSaveThread,
  parseSaveVectors,
  parseSearchMessages,
  parseSearchThreads,
  parseSearchVectors,
  parseSetKey,
  parseStreamKey,
  parseThreadKey,
  parseUpdateRun,
  type ReadStreamOptions,
  type Resource,
  type RunChanges,
  type RunClaim,
  type RunFilter,
  type RunLease,
  type RunState,
  rankThreads,
  runExists,
  type SaveMessagesColumns,
  type SaveMessagesOptions,
  type SaveResourceOptions,
  type SaveRunOptions,
  type SaveThreadOptions,
  type SaveVectorsOptions,
  type SearchMessagesOptions,
  type SearchThreadsOptions,
  type SearchVectorsOptions,
  type SetKeyOptions,
  type Store,
  type StoreCapabilities,
  type StoredMessage,
  type StoredRun,
  type StoreLimits,
  type StreamKey,
  type StreamPart,
  type SuspendedRun,
  streamMoved,
  streamTooLarge,
  type Thread,
  type ThreadColumnsToSearch,
  type ThreadHit,
  type ThreadKey,
  tooManyRuns,
  toPage,
} from '@millrace/core/storage'
import type { Row, SQLiteConnection, Statement, WriteOptions } from './connection.ts'
import { addToCounter, deleteKey, getKey, setKey } from './counter-statements.ts'
import { type Erasure, erase, findErasures } from './erase.ts'
import {
  deleteMessages,
  deleteMessagesAfter,
  findErased,
  getBlobs,
  getMessages,
  listMessages,
  saveBlobs,
  saveMessages,
  toBlob,
  toStoredMessage,
} from './message-statements.ts'
import { checkSchema, migrate, type Schema } from './migrate.ts'
import { getResource, hideResource, saveResource, toResource } from './resource-statements.ts'
import {
  claimRun,
  endRun,
  getRun,
  listRuns,
  releaseRun,
  saveRun,
  suspendRun,
  toFoundRun,
  toSuspendedRun,
  updateRun,
} from './run-statements.ts'
import { MIGRATIONS } from './schema.ts'
import { bestCommonMessages, bestMessages, searchCommon, searchMessages, toHit } from './search-statements.ts'
import { shrink } from './shrink.ts'
import { appendToStream, deleteStream, readStream, toStreamPart } from './stream-statements.ts'
import {
  getThread,
  getThreads,
  hideThread,
  listThreads,
  reservePositions,
  threadsToSearch,
  toThread,
  upsertThread,
} from './thread-statements.ts'
import {
  type BestVector,
  byScore,
  copyVectors,
  countPositions,
  getDimensions,
  getHits,
  listMessagesWithoutVector,
  POSITIONS_PER_SLICE,
  saveVectors,
  type VectorSearch,
  vectorSearch,
  vectorSlice,
} from './vector-statements.ts'

export interface SQLiteDialectStoreOptions {
  limits: StoreLimits
  connection: SQLiteConnection
  /** The name of the store, for errors. */
  name: string
  /** The SQL function for the cosine distance of two vectors, each a BLOB of 32-bit floats. */
  cosineDistance: string
  persistent: boolean
  /** `auto`: the first call migrates the schema. `manual`: only `migrate()` does. */
  migrate: 'auto' | 'manual'
}

const SQ_LITE_DIALECT_STORE_OPTIONS: OptionNames<SQLiteDialectStoreOptions> = {
  limits: ['required', 'open'],
  connection: 'required',
  name: 'required',
  cosineDistance: 'required',
  persistent: 'required',
  migrate: 'required',
}

/**
 * The base class of stores on SQLite databases. Each method is one list of statements that do not depend on
 * each other's results, so it runs synchronously in one transaction, or as one request to a server. Adapters
 * extend it, because they differ only in their connection.
 */
export class SQLiteDialectStore implements Store {
  readonly specVersion = 'v1'
  readonly capabilities: StoreCapabilities
  readonly #connection: SQLiteConnection
  readonly #schema: Schema
  readonly #migrates: boolean
  readonly #limits: StoreLimits & { maxRuns: number }
  readonly #searchVectors: {
    all: ReturnType<typeof vectorSearch>
    slice: ReturnType<typeof vectorSlice>
  }
  /** Running calls. */
  readonly #running = new Set<Promise<unknown>>()
  #preparing: Promise<void> | undefined
  #isReady = false
  #isClosed = false

  constructor(given: SQLiteDialectStoreOptions) {
    const options = requireOptions('SQLiteDialectStore', given, SQ_LITE_DIALECT_STORE_OPTIONS)
    const { connection, name, cosineDistance, persistent, migrate, limits } = options
    this.capabilities = { search: true, vectors: true, blobs: true, persistent }
    this.#connection = connection
    this.#schema = { store: name, migrations: MIGRATIONS }
    this.#migrates = migrate === 'auto'
    this.#limits = { ...limits, maxRuns: limits.maxRuns ?? 1_000 }
    this.#searchVectors = { all: vectorSearch(cosineDistance), slice: vectorSlice(cosineDistance) }
  }

  async migrate(): Promise<void> {
    this.#checkOpen()
    await this.#track(migrate(this.#connection, this.#schema))
    this.#isReady = true
    this.#track(this.#resumeErasures())
  }

  /**
   * Returns the space of deleted data to the file system, in steps between which other calls can run. New
   * messages reuse this space, so a file that will grow again does not need it.
   *
   * @throws MillraceError `STORAGE_UNSUPPORTED` if the file cannot shrink in steps, or the database is on a
   *   server
   */
  async shrink(): Promise<void> {
    this.#checkOpen()
    await this.#run(() => shrink(this.#connection, this.#schema.store))
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    // A call may start to erase what another process has left.
    while (this.#running.size > 0) await Promise.allSettled(this.#running)
    await this.#connection.close()
  }

  async getThread(key: ThreadKey): Promise<Thread | undefined> {
    const columns = parseThreadKey(key)
    const [row] = await this.#read(getThread(columns))
    return row && toThread(row, columns.owner)
  }

  async saveThread(options: SaveThreadOptions): Promise<Thread> {
    const columns = parseSaveThread(options)
    const { owner, ifVersion } = columns
    const statements = [
      reservePositions(owner, 1),
      upsertThread({ ...columns, isNewVersion: true }),
      getThread(columns),
    ]
    const [, saved, found] = await this.#write(statements, { isRepeatable: ifVersion === undefined })
    if (saved?.[0]) return toThread(saved[0], owner)
    throw conflict('thread', { expected: ifVersion ?? 0, found: Number(found?.[0]?.version ?? 0) })
  }

  async listThreads(options: ListThreadsOptions): Promise<Page<Thread>> {
    const columns = parseListThreads(options)
    const rows = await this.#read(listThreads(columns))
    const item = (row: Row): Thread => toThread(row, columns.owner)
    return toPage(rows, { limit: columns.limit, item, place })
  }

  async searchThreads(options: SearchThreadsOptions): Promise<ThreadHit[]> {
    const search = parseSearchThreads(options)
    const { owner, terms = [] } = search
    const best = terms.length > 0 ? await this.#bestMessages({ owner, terms }) : []
    const threads = (await this.#read(threadsToSearch(search))) as unknown as ThreadColumnsToSearch[]
    const ranked = rankThreads(threads, search, best)
    const rows =
      ranked.length > 0
        ? await this.#read(getThreads({ owner, ids: ranked.map(({ threadId }) => threadId) }))
        : []
    const byId = new Map(rows.map((row) => [row.id, toThread(row, owner)]))
    return ranked.flatMap(({ threadId, ...hit }) => {
      const thread = byId.get(threadId)
      // Missing if the thread was deleted in the meantime.
      return thread ? [{ thread, ...hit }] : []
    })
  }

  async #bestMessages(search: { owner: string; terms: readonly string[] }): Promise<BestMessage[]> {
    const rows = await this.#read(bestMessages(search))
    const found = rows.length > 0 ? rows : await this.#read(bestCommonMessages(search))
    return found as unknown as BestMessage[]
  }

  async deleteThread(key: ThreadKey): Promise<boolean> {
    this.#checkOpen()
    const statements = hideThread(parseThreadKey(key))
    return this.#writeAndErase(statements, ONCE, async (rows, erase) => {
      const [hidden] = rows.at(-1) ?? []
      if (hidden) await erase({ kind: 'thread', key: Number(hidden.key) })
      return hidden !== undefined
    })
  }

  async saveMessages(options: SaveMessagesOptions): Promise<Thread> {
    this.#checkOpen()
    const parsed = parseSaveMessages(options, this.#limits)
    if (!(parsed instanceof Promise)) return this.#saveMessages(parsed)
    return this.#track(parsed.then((columns) => this.#saveMessages(columns)))
  }

  #saveMessages({
    messages,
    changes,
    deleteAfter,
    blobs,
    vectorsFrom,
    ...key
  }: SaveMessagesColumns): Promise<Thread> {
    const isNewVersion = changes.title !== undefined || changes.metadata !== undefined
    const statements = [
      reservePositions(key.owner, messages.length + 1),
      upsertThread({ ...key, ...changes, isNewVersion }),
      ...(deleteAfter === undefined ? [] : [deleteMessagesAfter(deleteAfter, key)]),
      ...saveMessages(messages, key),
      ...saveBlobs(blobs, key),
      ...(vectorsFrom ? [copyVectors(vectorsFrom, key)] : []),
      getThread(key),
      findErased(key),
    ]
    return this.#writeAndErase(statements, REPEATABLE, async (rows, erase) => {
      const [erased] = rows.at(-1) ?? []
      const purges = deleteAfter !== undefined
      if (erased) await erase({ kind: 'thread', key: Number(erased.key), purges })
      return toThread(rows.at(-2)?.[0] as Row, key.owner)
    })
  }

  async listMessages(options: ListMessagesOptions): Promise<Page<StoredMessage>> {
    const columns = parseListMessages(options)
    const rows = await this.#read(listMessages(columns))
    const item = (row: Row): StoredMessage => toStoredMessage(row, columns.owner)
    return toPage(rows, { limit: columns.limit, item, place: ({ sequence }) => sequence as number })
  }

  async getMessages(options: GetMessagesOptions): Promise<StoredMessage[]> {
    const columns = parseGetMessages(options)
    const rows = await this.#read(getMessages(columns))
    const threadIds = columns.messages.map(({ threadId }) => threadId)
    return inThreadOrder(
      rows.map((row) => toStoredMessage(row, columns.owner)),
      threadIds,
    )
  }

  async getBlobs(options: GetBlobsOptions): Promise<MessageBlob[]> {
    const columns = parseGetBlobs(options)
    const rows = await this.#read(getBlobs(columns))
    return inBlobOrder(rows.map(toBlob), columns.blobs)
  }

  async deleteMessages(options: DeleteMessagesOptions): Promise<number> {
    this.#checkOpen()
    const statements = deleteMessages(parseDeleteMessages(options))
    return this.#writeAndErase(statements, ONCE, async (rows, erase) => {
      const [deleted] = rows.at(-1) ?? []
      const count = Number(deleted?.count)
      if (count > 0) await erase({ kind: 'thread', key: Number(deleted?.key) })
      return count
    })
  }

  async getResource(key: { resourceId: string }): Promise<Resource | undefined> {
    const [row] = await this.#read(getResource(parseResourceKey(key).resourceId))
    return row && toResource(row)
  }

  async saveResource(options: SaveResourceOptions): Promise<Resource> {
    const columns = parseSaveResource(options)
    const { resourceId, ifVersion } = columns
    const statements = [saveResource(columns), getResource(resourceId)]
    const [saved, found] = await this.#write(statements, { isRepeatable: ifVersion === undefined })
    if (saved?.[0]) return toResource(saved[0])
    throw conflict('resource', { expected: ifVersion ?? 0, found: Number(found?.[0]?.version ?? 0) })
  }

  async deleteResource(key: { resourceId: string }): Promise<void> {
    this.#checkOpen()
    const statements = hideResource(parseResourceKey(key).resourceId)
    return this.#writeAndErase(statements, REPEATABLE, async (rows, erase) => {
      const [hidden] = rows.at(-1) ?? []
      if (hidden) await erase({ kind: 'resource', key: Number(hidden.key) })
      // A previous attempt may have hidden it, with its response lost.
      else this.#track(this.#resumeErasures())
    })
  }

  async searchMessages(options: SearchMessagesOptions): Promise<MessageHit[]> {
    const search = parseSearchMessages(options)
    if (search.terms.length === 0) return []
    const rows = await this.#read(searchMessages(search))
    const found = rows.length > 0 ? rows : await this.#read(searchCommon(search))
    return found.map((row) => toHit(row, search.filter.owner))
  }

  async saveVectors(options: SaveVectorsOptions): Promise<void> {
    const columns = parseSaveVectors(options)
    if (columns.vectors.length === 0) return
    const [, found] = await this.#write(saveVectors(columns), REPEATABLE)
    if (found?.[0]) checkDimensions(columns.dimensions, found[0].dimensions as number)
  }

  async searchVectors(options: SearchVectorsOptions): Promise<MessageHit[]> {
    const search = parseSearchVectors(options)
    const { owner } = search.filter
    const rows = await this.#track(this.#findVectors(search))
    if (rows.length > 0) return rows.map((row) => toHit(row, owner))
    const [known] = await this.#read(getDimensions({ owner, model: search.model }))
    if (known) checkDimensions(search.vector.length, known.dimensions as number)
    return []
  }

  /** Searches a long range of vectors in slices, so that other calls can run in between. */
  async #findVectors(search: VectorSearch): Promise<Row[]> {
    const { threadId, owner } = search.filter
    if (threadId !== undefined) return this.#read(this.#searchVectors.all(search))
    const [taken] = await this.#read(countPositions(owner))
    const places = Number(taken?.places ?? 0)
    if (places <= POSITIONS_PER_SLICE) return this.#read(this.#searchVectors.all(search))
    let best: BestVector[] = []
    for (let from = 0; from <= places; from += POSITIONS_PER_SLICE) {
      if (from > 0) await new Promise((resolve) => setTimeout(resolve, 0))
      const slice = { from, to: from + POSITIONS_PER_SLICE - 1 }
      const found = await this.#run(() => this.#connection.read(this.#searchVectors.slice(search, slice)))
      best = [...best, ...(found as unknown as BestVector[])].sort(byScore).slice(0, search.limit)
    }
    return this.#run(() => this.#connection.read(getHits(owner, best)))
  }

  async listMessagesWithoutVector(options: ListMessagesWithoutVectorOptions): Promise<Page<StoredMessage>> {
    const columns = parseListMessagesWithoutVector(options)
    const rows = await this.#read(listMessagesWithoutVector(columns))
    const item = (row: Row): StoredMessage => toStoredMessage(row, columns.owner)
    return toPage(rows, { limit: columns.limit, item, place })
  }

  async addToCounter(options: AddToCounterOptions): Promise<Counter> {
    const columns = parseAddToCounter(options)
    const { amount, limit } = columns
    const [, added, found] = await this.#write(addToCounter(columns))
    const counter = (added?.[0] ?? found?.[0] ?? { value: 0, expiresAt: null }) as {
      value: number
      expiresAt: number | null
    }
    const fits = amount <= 0 || limit === undefined || counter.value + amount <= limit
    if (!added?.[0] && amount !== 0 && fits) {
      throw invalidInput('The counter would exceed the safe integers. Count in a larger unit.')
    }
    return {
      value: counter.value,
      added: fits || added?.[0] !== undefined,
      ...(counter.expiresAt !== null && { expiresAt: new Date(counter.expiresAt) }),
    }
  }

  async getKey(options: KeyOptions): Promise<string | undefined> {
    const [row] = await this.#read(getKey(parseKey(options)))
    return row?.value as string | undefined
  }

  async setKey(options: SetKeyOptions): Promise<boolean> {
    const columns = parseSetKey(options)
    const [, set] = await this.#write(setKey(columns), { isRepeatable: !columns.ifAbsent })
    return set?.[0] !== undefined
  }

  async deleteKey(options: KeyOptions): Promise<boolean> {
    const [rows] = await this.#write([deleteKey(parseKey(options))])
    return rows?.[0] !== undefined
  }

  async saveRun(run: StoredRun, { after, lease }: SaveRunOptions = {}): Promise<void> {
    const { maxRuns } = this.#limits
    const columns = parseSaveRun(run, this.#limits)
    const held = after && parseRunLease(after)
    if (after && held?.runId === columns.runId) {
      const [rows] = await this.#write(suspendRun(columns, held))
      if (!rows?.[0]) throw leaseLost(after)
      return
    }
    const statements = saveRun({ columns, after: held, lease: lease && parseLeaseOptions(lease), maxRuns })
    const [, , isHeld, stored, , found, counted] = await this.#write(statements)
    if (stored?.[0]) return
    if (after && !isHeld?.[0]) throw leaseLost(after)
    if (found?.[0]) throw runExists()
    throw tooManyRuns(Number(counted?.[0]?.count), maxRuns)
  }

  async getRun(runId: string, owner?: Owner): Promise<FoundRun | undefined> {
    const [row] = await this.#read(getRun(parseRunKey(runId, owner)))
    return row && toFoundRun(row)
  }

  async claimRun(runId: string, options: ClaimRunOptions): Promise<RunClaim | undefined> {
    const [before, claimed] = await this.#write(claimRun(parseClaimRun(runId, options)))
    const state = before?.[0]?.state as RunState | undefined
    const attempt = claimed?.[0]?.attempt as number | undefined
    return state && { state, ...(attempt !== undefined && { attempt }) }
  }

  async updateRun(lease: RunLease, changes: RunChanges): Promise<void> {
    const [held] = await this.#write(updateRun(parseUpdateRun(lease, changes, this.#limits)), REPEATABLE)
    if (!held?.[0]) throw leaseLost(lease)
  }

  async endRun(lease: RunLease, as: 'done' | 'interrupted' | 'released'): Promise<void> {
    const [held] = await this.#write([endRun(parseRunLease(lease), as)])
    if (!held?.[0]) throw leaseLost(lease)
  }

  async releaseRun(runId: string, owner?: Owner): Promise<RunState | undefined> {
    const [before] = await this.#write(releaseRun(parseRunKey(runId, owner)))
    return before?.[0]?.state as RunState | undefined
  }

  async listRuns(filter?: RunFilter): Promise<SuspendedRun[]> {
    return (await this.#read(listRuns(parseListRuns(filter)))).map(toSuspendedRun)
  }

  async appendToStream(options: AppendToStreamOptions): Promise<void> {
    const columns = parseAppendToStream(options, this.#limits)
    const { offset, bytes, maxBytes } = columns
    const [, , , added, , found] = await this.#write(appendToStream(columns))
    if (added?.[0]) return
    const stream = (found?.[0] ?? { length: 0, bytes: 0, ended: 0 }) as Record<string, number>
    const { length = 0, ended } = stream
    if (length !== offset || ended) throw streamMoved(offset, { length, ended: ended === 1 })
    throw streamTooLarge(Number(stream.bytes) + bytes, maxBytes)
  }

  async readStream(options: ReadStreamOptions): Promise<StreamPart | undefined> {
    return toStreamPart(await this.#read(readStream(parseReadStream(options))))
  }

  async deleteStream(key: StreamKey): Promise<boolean> {
    const [rows] = await this.#write([deleteStream(parseStreamKey(key))])
    return rows?.[0]?.wasThere === 1
  }

  #read(statement: Statement): Row[] | Promise<Row[]> {
    return this.#call(() => this.#connection.read(statement))
  }

  #write(statements: readonly Statement[], options: WriteOptions = ONCE): Row[][] | Promise<Row[][]> {
    return this.#call(() => this.#connection.write(statements, options))
  }

  /** Writes, then erases what was deleted from the file. `then` runs within the same call. */
  #writeAndErase<RESULT>(
    statements: readonly Statement[],
    options: WriteOptions,
    then: (rows: Row[][], erase: (erasure: Erasure) => Promise<void>) => Promise<RESULT>,
  ): Promise<RESULT> {
    const connection = this.#connection
    const run = async (): Promise<RESULT> =>
      then(await connection.write(statements, options), (erasure) => erase(connection, erasure))
    return Promise.resolve(this.#run(run))
  }

  #call<RESULT>(run: () => RESULT | Promise<RESULT>): RESULT | Promise<RESULT> {
    this.#checkOpen()
    return this.#run(run)
  }

  /**
   * Runs part of a call that has started, even if the store was closed since. Synchronous work returns no
   * promise.
   */
  #run<RESULT>(run: () => RESULT | Promise<RESULT>): RESULT | Promise<RESULT> {
    const result = this.#isReady ? run() : this.#prepared().then(run)
    return result instanceof Promise ? this.#track(result) : result
  }

  #track<RESULT>(call: Promise<RESULT>): Promise<RESULT> {
    this.#running.add(call)
    const deleteExpired = (): unknown => this.#running.delete(call)
    call.then(deleteExpired, deleteExpired)
    return call
  }

  /** Prepares once for all concurrent calls, and again if it failed. */
  #prepared(): Promise<void> {
    this.#preparing ??= this.#prepare().finally(() => {
      this.#preparing = undefined
    })
    return this.#preparing
  }

  async #prepare(): Promise<void> {
    if (this.#migrates) await migrate(this.#connection, this.#schema)
    else await checkSchema(this.#connection, this.#schema)
    this.#isReady = true
    this.#track(this.#resumeErasures())
  }

  /**
   * Finishes deletions of crashed processes. After an error, the next deletion or the next process continues.
   */
  async #resumeErasures(): Promise<void> {
    try {
      for (const erasure of await findErasures(this.#connection)) await erase(this.#connection, erasure)
    } catch {}
  }

  #checkOpen(): void {
    if (this.#isClosed) throw closed(this.#schema.store)
  }
}

const ONCE: WriteOptions = { isRepeatable: false }
const REPEATABLE: WriteOptions = { isRepeatable: true }

function place(row: Row): number {
  return row.place as number
}
