import type {
  AddToCounterOptions,
  Counter,
  DeleteMessagesOptions,
  GetMessagesOptions,
  KeyOptions,
  ListMessagesOptions,
  ListMessagesWithoutVectorOptions,
  ListThreadsOptions,
  MessageHit,
  Owner,
  Page,
  Resource,
  RunLimits,
  RunState,
  RunStore,
  SaveMessagesOptions,
  SaveResourceOptions,
  SaveThreadOptions,
  SaveVectorsOptions,
  SearchMessagesOptions,
  SearchVectorsOptions,
  SetKeyOptions,
  Store,
  StoreCapabilities,
  StoredMessage,
  StoredRun,
  SuspendedRun,
  Thread,
  ThreadKey,
} from '@millrace/core/storage'
import { addToCounter, deleteKey, getKey, setKey } from './counters.ts'
import { Database } from './database.ts'
import { deleteMessages, getMessages, listMessages } from './messages.ts'
import { OwnPool } from './own-pool.ts'
import { connectionsOf, type PostgresInProcess, type PostgresPool } from './postgres-pool.ts'
import { deleteResource, getResource, saveResource } from './resources.ts'
import { claimRun, getRun, listRuns, saveRun } from './runs.ts'
import { saveMessages } from './save-messages.ts'
import { tablesIn } from './tables.ts'
import { deleteThread, getThread, listThreads, saveThread } from './threads.ts'
import { listMessagesWithoutVector, saveVectors, searchVectors } from './vectors.ts'
import { searchMessages } from './word-search.ts'

export type PostgresStoreOptions = PostgresConnectionOptions &
  RunLimits & {
    /** Where the tables are, all named `millrace_…`; `migrate` creates it. Default: `public`. */
    schema?: string | undefined
    /** `auto`: the first call brings the schema up to date. `manual`: `migrate()` does, and nothing else. Default: `manual`. */
    migrate?: 'auto' | 'manual' | undefined
  }

export type PostgresConnectionOptions =
  | {
      /** A `Pool` of node-postgres, or a `PGlite`. It stays yours: the store does not close it. */
      pool: PostgresPool | PostgresInProcess
    }
  | {
      /** Such as `postgresql://user:password@db.example.com/app`. */
      url: string
      /** The most connections at the same time. Default: 10. */
      maxConnections?: number | undefined
      /** How long a call waits for a connection, in milliseconds; then it fails with `STORAGE_BUSY`. Default: 10,000. */
      connectionTimeout?: number | undefined
    }

/**
 * A store in PostgreSQL 13 or newer. Needs nothing of a session (no prepared statements by name, no settings, no locks that
 * outlive a transaction), so that it works behind a pooler of transactions, such as PgBouncer.
 */
export class PostgresStore implements Store {
  readonly specVersion = 'v1'
  readonly capabilities: StoreCapabilities = { search: true, vectors: true, persistent: true }
  readonly #database: Database
  readonly #ownPool: OwnPool | undefined
  readonly #limits: RunLimits

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(options: PostgresStoreOptions) {
    const { schema = 'public', migrate = 'manual' } = options
    const pool = 'pool' in options ? options.pool : new OwnPool(options)
    this.#ownPool = pool instanceof OwnPool ? pool : undefined
    this.#limits = options
    this.#database = new Database(connectionsOf(pool), {
      tables: tablesIn(schema),
      migrates: migrate === 'auto',
    })
  }

  migrate(): Promise<void> {
    return this.#database.migrate()
  }

  async close(): Promise<void> {
    await this.#database.close()
    await this.#ownPool?.end()
  }

  getThread(key: ThreadKey): Promise<Thread | undefined> {
    return getThread(this.#database, key)
  }

  saveThread(options: SaveThreadOptions): Promise<Thread> {
    return saveThread(this.#database, options)
  }

  listThreads(options: ListThreadsOptions): Promise<Page<Thread>> {
    return listThreads(this.#database, options)
  }

  deleteThread(key: ThreadKey): Promise<boolean> {
    return deleteThread(this.#database, key)
  }

  saveMessages(options: SaveMessagesOptions): Promise<Thread> {
    return saveMessages(this.#database, options)
  }

  listMessages(options: ListMessagesOptions): Promise<Page<StoredMessage>> {
    return listMessages(this.#database, options)
  }

  getMessages(options: GetMessagesOptions): Promise<StoredMessage[]> {
    return getMessages(this.#database, options)
  }

  deleteMessages(options: DeleteMessagesOptions): Promise<number> {
    return deleteMessages(this.#database, options)
  }

  getResource(key: { resourceId: string }): Promise<Resource | undefined> {
    return getResource(this.#database, key)
  }

  saveResource(options: SaveResourceOptions): Promise<Resource> {
    return saveResource(this.#database, options)
  }

  deleteResource(key: { resourceId: string }): Promise<void> {
    return deleteResource(this.#database, key)
  }

  searchMessages(options: SearchMessagesOptions): Promise<MessageHit[]> {
    return searchMessages(this.#database, options)
  }

  saveVectors(options: SaveVectorsOptions): Promise<void> {
    return saveVectors(this.#database, options)
  }

  searchVectors(options: SearchVectorsOptions): Promise<MessageHit[]> {
    return searchVectors(this.#database, options)
  }

  listMessagesWithoutVector(options: ListMessagesWithoutVectorOptions): Promise<Page<StoredMessage>> {
    return listMessagesWithoutVector(this.#database, options)
  }

  addToCounter(options: AddToCounterOptions): Promise<Counter> {
    return addToCounter(this.#database, options)
  }

  getKey(options: KeyOptions): Promise<string | undefined> {
    return getKey(this.#database, options)
  }

  setKey(options: SetKeyOptions): Promise<boolean> {
    return setKey(this.#database, options)
  }

  deleteKey(options: KeyOptions): Promise<boolean> {
    return deleteKey(this.#database, options)
  }

  saveRun(run: StoredRun): Promise<void> {
    return saveRun(this.#database, run, this.#limits)
  }

  getRun(runId: string, owner?: Owner): ReturnType<RunStore['getRun']> {
    return getRun(this.#database, runId, owner)
  }

  claimRun(runId: string, as: 'resumed' | 'released', owner?: Owner): Promise<RunState | undefined> {
    return claimRun(this.#database, runId, { as, asked: owner })
  }

  listRuns(filter: { threadId?: string; resourceId?: string }): Promise<SuspendedRun[]> {
    return listRuns(this.#database, filter)
  }
}
