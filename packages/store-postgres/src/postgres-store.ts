import { type OptionNames, requireOptions } from '@millrace/core'
import {
  type AddToCounterOptions,
  type AppendToStreamOptions,
  type ClaimRunOptions,
  type Counter,
  type DeleteMessagesOptions,
  type FoundRun,
  type GetBlobsOptions,
  type GetMessagesOptions,
  type KeyOptions,
  type ListMessagesOptions,
  type ListMessagesWithoutVectorOptions,
  type ListThreadsOptions,
  type MessageBlob,
  type MessageHit,
  type Owner,
  type Page,
  type ReadStreamOptions,
  type Resource,
  type RunChanges,
  type RunClaim,
  type RunFilter,
  type RunLease,
  type RunState,
  type SaveMessagesOptions,
  type SaveResourceOptions,
  type SaveRunOptions,
  type SaveThreadOptions,
  type SaveVectorsOptions,
  type SearchMessagesOptions,
  type SearchThreadsOptions,
  type SearchVectorsOptions,
  type SetKeyOptions,
  STORE_LIMITS,
  type Store,
  type StoreCapabilities,
  type StoredMessage,
  type StoredRun,
  type StoreLimits,
  type StreamKey,
  type StreamPart,
  type SuspendedRun,
  type Thread,
  type ThreadHit,
  type ThreadKey,
} from '@millrace/core/storage'
import { getBlobs } from './blobs.ts'
import { CallsInFlight } from './calls-in-flight.ts'
import { addToCounter, deleteKey, getKey, setKey } from './counters.ts'
import { Database } from './database.ts'
import { deleteMessages, getMessages, listMessages } from './messages.ts'
import { OwnPool } from './own-pool.ts'
import { connectionsOf, type PostgresInProcess, type PostgresPool } from './postgres-pool.ts'
import { deleteResource, getResource, saveResource } from './resources.ts'
import { claimRun, endRun, getRun, listRuns, releaseRun, saveRun, updateRun } from './runs.ts'
import { saveMessages } from './save-messages.ts'
import { appendToStream, deleteStream, readStream } from './streams.ts'
import { tablesIn } from './tables.ts'
import { searchThreads } from './thread-search.ts'
import { deleteThread, getThread, listThreads, saveThread } from './threads.ts'
import { listMessagesWithoutVector, saveVectors, searchVectors } from './vectors.ts'
import { searchMessages } from './word-search.ts'

export type PostgresStoreOptions = PostgresConnectionOptions & {
  /** The schema of the tables, which are all named `millrace_…`; `migrate` creates it. Default: `public`. */
  schema?: string | undefined
  /**
   * `auto`: the first call migrates the schema. `manual`: only `migrate()` does, for a service whose role may
   * not create tables, or for upgrades in steps. Default: `auto`.
   */
  migrate?: 'auto' | 'manual' | undefined
} & StoreLimits

export const POSTGRES_CONNECTION_OPTIONS: OptionNames<PostgresConnectionOptions> = {
  pool: 'optional',
  url: 'optional',
  maxConnections: 'optional',
  connectionTimeout: 'optional',
}

const POSTGRES_STORE_OPTIONS: OptionNames<PostgresStoreOptions> = {
  ...POSTGRES_CONNECTION_OPTIONS,
  ...STORE_LIMITS,
  schema: 'optional',
  migrate: 'optional',
}

export type PostgresConnectionOptions =
  | {
      /**
       * A `Pool` of [node-postgres](https://node-postgres.com), or a `PGlite`. `store.close()` does not close
       * it.
       */
      pool: PostgresPool | PostgresInProcess
    }
  | {
      /**
       * The connection string, such as `postgresql://user:password@db.example.com/app`. The store opens its
       * own pool.
       */
      url: string
      /** The maximum number of connections (only with `url`). Default: 10. */
      maxConnections?: number | undefined
      /** How long a call waits for a connection, in milliseconds (only with `url`); then it fails with `STORAGE_BUSY`. Default: 10,000. */
      connectionTimeout?: number | undefined
    }

/**
 * A store in PostgreSQL 13 or newer. It uses no session state (named prepared statements, settings, or locks
 * that outlive a transaction), so it works behind a transaction pooler such as PgBouncer.
 */
export class PostgresStore implements Store {
  readonly specVersion = 'v1'
  readonly capabilities: StoreCapabilities = { search: true, vectors: true, blobs: true, persistent: true }
  readonly #database: Database
  readonly #ownPool: OwnPool | undefined
  readonly #limits: StoreLimits
  readonly #calls = new CallsInFlight()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: PostgresStoreOptions) {
    const options = requireOptions('PostgresStore', given, POSTGRES_STORE_OPTIONS)
    const { schema = 'public', migrate = 'auto' } = options
    const pool = 'pool' in options ? options.pool : new OwnPool(options)
    this.#ownPool = pool instanceof OwnPool ? pool : undefined
    this.#limits = options
    this.#database = new Database(connectionsOf(pool), {
      tables: tablesIn(schema),
      migrates: migrate === 'auto',
    })
  }

  migrate(): Promise<void> {
    return this.#calls.add(() => this.#database.migrate())
  }

  async close(): Promise<void> {
    await this.#calls.close()
    await this.#ownPool?.end()
  }

  getThread(key: ThreadKey): Promise<Thread | undefined> {
    return this.#call(getThread, key)
  }

  saveThread(options: SaveThreadOptions): Promise<Thread> {
    return this.#call(saveThread, options)
  }

  listThreads(options: ListThreadsOptions): Promise<Page<Thread>> {
    return this.#call(listThreads, options)
  }

  searchThreads(options: SearchThreadsOptions): Promise<ThreadHit[]> {
    return this.#call(searchThreads, options)
  }

  deleteThread(key: ThreadKey): Promise<boolean> {
    return this.#call(deleteThread, key)
  }

  saveMessages(options: SaveMessagesOptions): Promise<Thread> {
    return this.#calls.add(() => saveMessages(this.#database, options, this.#limits))
  }

  listMessages(options: ListMessagesOptions): Promise<Page<StoredMessage>> {
    return this.#call(listMessages, options)
  }

  getMessages(options: GetMessagesOptions): Promise<StoredMessage[]> {
    return this.#call(getMessages, options)
  }

  getBlobs(options: GetBlobsOptions): Promise<MessageBlob[]> {
    return this.#call(getBlobs, options)
  }

  deleteMessages(options: DeleteMessagesOptions): Promise<number> {
    return this.#call(deleteMessages, options)
  }

  getResource(key: { resourceId: string }): Promise<Resource | undefined> {
    return this.#call(getResource, key)
  }

  saveResource(options: SaveResourceOptions): Promise<Resource> {
    return this.#call(saveResource, options)
  }

  deleteResource(key: { resourceId: string }): Promise<void> {
    return this.#call(deleteResource, key)
  }

  searchMessages(options: SearchMessagesOptions): Promise<MessageHit[]> {
    return this.#call(searchMessages, options)
  }

  saveVectors(options: SaveVectorsOptions): Promise<void> {
    return this.#call(saveVectors, options)
  }

  searchVectors(options: SearchVectorsOptions): Promise<MessageHit[]> {
    return this.#call(searchVectors, options)
  }

  listMessagesWithoutVector(options: ListMessagesWithoutVectorOptions): Promise<Page<StoredMessage>> {
    return this.#call(listMessagesWithoutVector, options)
  }

  addToCounter(options: AddToCounterOptions): Promise<Counter> {
    return this.#call(addToCounter, options)
  }

  getKey(options: KeyOptions): Promise<string | undefined> {
    return this.#call(getKey, options)
  }

  setKey(options: SetKeyOptions): Promise<boolean> {
    return this.#call(setKey, options)
  }

  deleteKey(options: KeyOptions): Promise<boolean> {
    return this.#call(deleteKey, options)
  }

  saveRun(run: StoredRun, options: SaveRunOptions = {}): Promise<void> {
    return this.#call(saveRun, run, { ...this.#limits, ...options })
  }

  getRun(runId: string, owner?: Owner): Promise<FoundRun | undefined> {
    return this.#call(getRun, runId, owner)
  }

  claimRun(runId: string, options: ClaimRunOptions): Promise<RunClaim | undefined> {
    return this.#call(claimRun, runId, options)
  }

  updateRun(lease: RunLease, changes: RunChanges): Promise<void> {
    return this.#call(updateRun, lease, { ...changes, limits: this.#limits })
  }

  endRun(lease: RunLease, as: 'done' | 'interrupted' | 'released'): Promise<void> {
    return this.#call(endRun, lease, as)
  }

  releaseRun(runId: string, owner?: Owner): Promise<RunState | undefined> {
    return this.#call(releaseRun, runId, owner)
  }

  listRuns(filter?: RunFilter): Promise<SuspendedRun[]> {
    return this.#call(listRuns, filter)
  }

  appendToStream(options: AppendToStreamOptions): Promise<void> {
    return this.#call(appendToStream, options, this.#limits)
  }

  readStream(options: ReadStreamOptions): Promise<StreamPart | undefined> {
    return this.#call(readStream, options)
  }

  deleteStream(key: StreamKey): Promise<boolean> {
    return this.#call(deleteStream, key)
  }

  #call<ARGUMENTS extends unknown[], RESULT>(
    method: (database: Database, ...args: ARGUMENTS) => Promise<RESULT>,
    ...args: ARGUMENTS
  ): Promise<RESULT> {
    return this.#calls.add(() => method(this.#database, ...args))
  }
}
