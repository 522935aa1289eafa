import type { StoreLimits } from '@millrace/core/storage'
import { SQLiteDialectStore } from '@millrace/sqlite-dialect'
import { BetterSQLite3Connection, type BetterSQLite3Database } from './better-sqlite3-connection.ts'
import { addCosineDistance } from './cosine-distance.ts'
import { openDatabase, type Synchronous } from './open-database.ts'

export interface SQLiteStoreOptions extends StoreLimits {
  /**
   * A file, created if it is not there, for its owner alone (mode 0600, its log and index too); or `:memory:`, which is gone
   * when the store is closed (`capabilities.persistent` is `false`). It or `database` is required.
   */
  path?: string | undefined
  /**
   * An open database of better-sqlite3, instead of a path. It may have other tables, and stays open when the store is
   * closed; within a transaction of yours the store takes part in it. Its journal mode, `synchronous` and timeout stay as they
   * are; `secure_delete` is set, so that what is deleted is overwritten.
   */
  database?: BetterSQLite3Database | undefined
  /**
   * When a save has returned, what it survives (only with `path`). `normal`: the end of the process. `full`: a power cut
   * too, and each save waits for the disk. Neither ever damages the file. Default: `normal`.
   */
  synchronous?: Synchronous | undefined
  /**
   * How long to wait for another process that writes, in milliseconds (only with `path`). The wait blocks the process, as
   * everything in better-sqlite3 does. Default: 5,000.
   */
  busyTimeout?: number | undefined
  /** `auto`: the first call brings the schema to what is needed. `manual`: only `migrate()` does. Default: `auto`. */
  migrate?: 'auto' | 'manual' | undefined
}

/**
 * A store in a file of SQLite, through better-sqlite3. Any number of processes on one machine may use one file.
 *
 * @throws MillraceError `CONFIG_INVALID` for options that contradict each other, `STORAGE_UNAVAILABLE` if the file cannot
 *   be opened, `STORAGE_FAILED` if it is no database
 */
export class SQLiteStore extends SQLiteDialectStore {
  constructor(options: SQLiteStoreOptions) {
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
