import { type OptionNames, requireOptions } from '@millrace/core'
import { STORE_LIMITS, type StoreLimits } from '@millrace/core/storage'
import { SQLiteDialectStore } from '@millrace/sqlite-dialect'
import { BetterSQLite3Connection, type BetterSQLite3Database } from './better-sqlite3-connection.ts'
import { addCosineDistance } from './cosine-distance.ts'
import { openDatabase, type Synchronous } from './open-database.ts'

export interface SQLiteStoreOptions extends StoreLimits {
  /**
   * The path of the file. It is created if it does not exist, readable only by its owner (mode 0600, like its
   * WAL and index). `:memory:` is lost when the store is closed (`capabilities.persistent` is `false`).
   * Either `path` or `database` is required.
   */
  path?: string | undefined
  /**
   * An open better-sqlite3 database, instead of a path. It may contain other tables, and stays open when the
   * store is closed. Inside your own transaction, the store's writes are part of it. Journal mode,
   * `synchronous` and timeout are not changed; `secure_delete` is turned on, so that deleted data is
   * overwritten.
   */
  database?: BetterSQLite3Database | undefined
  /**
   * What a completed save survives (only with `path`). `normal`: a crash of the process. `full`: also a power
   * failure, and each save waits for the disk. Neither can corrupt the file. Default: `normal`.
   */
  synchronous?: Synchronous | undefined
  /**
   * How long to wait for another process that writes, in milliseconds (only with `path`). The wait blocks
   * this process, because better-sqlite3 is synchronous. Default: 5,000.
   */
  busyTimeout?: number | undefined
  /** `auto`: the first call migrates the schema. `manual`: only `migrate()` does. Default: `auto`. */
  migrate?: 'auto' | 'manual' | undefined
}

const SQ_LITE_STORE_OPTIONS: OptionNames<SQLiteStoreOptions> = {
  ...STORE_LIMITS,
  path: 'optional',
  database: 'optional',
  synchronous: 'optional',
  busyTimeout: 'optional',
  migrate: 'optional',
}

/**
 * A store in a SQLite file, with better-sqlite3. Several processes on one machine can use the same file.
 *
 * @throws MillraceError `CONFIG_INVALID` for conflicting options, `STORAGE_UNAVAILABLE` if the file cannot be
 *   opened, `STORAGE_FAILED` if it is not a database
 */
export class SQLiteStore extends SQLiteDialectStore {
  constructor(given: SQLiteStoreOptions) {
    const options = requireOptions('SQLiteStore', given, SQ_LITE_STORE_OPTIONS)
    const name = 'SQLiteStore'
    const database = openDatabase(options)
    super({
      connection: new BetterSQLite3Connection(database, { name, isOwner: options.database === undefined }),
      name,
      cosineDistance: addCosineDistance(database),
      persistent: !database.memory,
      migrate: options.migrate ?? 'auto',
      limits: options,
    })
  }
}
