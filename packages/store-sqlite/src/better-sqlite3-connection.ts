import { unavailable } from '@millrace/core/storage'
import {
  type Row,
  type SQLiteConnection,
  type Statement,
  storageError,
  type WriteOptions,
} from '@millrace/sqlite-dialect'

/** The part of a better-sqlite3 database that is used. */
export interface BetterSQLite3Database {
  readonly open: boolean
  readonly inTransaction: boolean
  readonly memory: boolean
  prepare(sql: string): PreparedStatement
  exec(sql: string): unknown
  pragma(text: string, options?: { simple?: boolean }): unknown
  function(name: string, options: { deterministic: boolean }, run: (...values: never[]) => unknown): unknown
  loadExtension(path: string): unknown
  unsafeMode(on: boolean): unknown
  close(): unknown
}

interface PreparedStatement {
  readonly reader: boolean
  safeIntegers(on: boolean): unknown
  all(parameters: object): unknown[]
  run(parameters: object): unknown
}

export interface BetterSQLite3ConnectionOptions {
  /** The name of the store, for errors. */
  name: string
  /** Whether closing the connection also closes the database. */
  isOwner: boolean
}

/** The longest time to wait for readers, in milliseconds. */
const MAX_READER_WAIT = 100

/** Caches prepared statements. Transactions are synchronous: a call is complete when it returns. */
export class BetterSQLite3Connection implements SQLiteConnection {
  readonly #database: BetterSQLite3Database
  readonly #options: BetterSQLite3ConnectionOptions
  readonly #prepared = new Map<string, PreparedStatement>()

  constructor(database: BetterSQLite3Database, options: BetterSQLite3ConnectionOptions) {
    this.#database = database
    this.#options = options
  }

  read(statement: Statement): Row[] {
    try {
      return this.#run(statement)
    } catch (error) {
      throw this.#toStorageError(error)
    }
  }

  /** Inside a transaction of the application, the statements become part of it, as a savepoint. */
  write(statements: readonly Statement[], { editsIndex = false }: Partial<WriteOptions> = {}): Row[][] {
    return editsIndex ? this.#inUnsafeMode(() => this.#write(statements)) : this.#write(statements)
  }

  /**
   * Runs with `unsafeMode`: better-sqlite3 protects the tables of FTS5 from writes unless it is on. The
   * application may have turned it on already.
   */
  #inUnsafeMode<RESULT>(run: () => RESULT): RESULT {
    const database = this.#database
    if (isUnsafe(database)) return run()
    database.unsafeMode(true)
    try {
      return run()
    } finally {
      database.unsafeMode(false)
    }
  }

  #write(statements: readonly Statement[]): Row[][] {
    const isNested = this.#database.inTransaction
    try {
      this.#control(isNested ? 'SAVEPOINT millrace' : 'BEGIN IMMEDIATE')
      const rows = statements.map((statement) => this.#run(statement))
      this.#control(isNested ? 'RELEASE millrace' : 'COMMIT')
      return rows
    } catch (error) {
      // SQLite has already rolled back the transaction if the disk is full.
      if (this.#database.inTransaction) {
        this.#control(isNested ? 'ROLLBACK TO millrace' : 'ROLLBACK')
        if (isNested) this.#control('RELEASE millrace')
      }
      throw this.#toStorageError(error)
    }
  }

  /**
   * Checkpoints the WAL and truncates it. An active reader can block this; it is waited for only briefly,
   * because the next call does it too.
   */
  purge(): void {
    const database = this.#database
    if (database.inTransaction || database.memory) return
    const timeout = Number(database.pragma('busy_timeout', { simple: true }))
    try {
      database.pragma(`busy_timeout = ${Math.min(timeout, MAX_READER_WAIT)}`)
      database.pragma('wal_checkpoint(TRUNCATE)')
    } catch {
      // An error here is ignored: the deletion itself is committed.
    } finally {
      database.pragma(`busy_timeout = ${timeout}`)
    }
  }

  shrink(pages: number): number | undefined {
    const database = this.#database
    try {
      // 2 is INCREMENTAL.
      if (Number(database.pragma('auto_vacuum', { simple: true })) !== 2) return undefined
      database.pragma(`incremental_vacuum(${pages})`)
      return Number(database.pragma('freelist_count', { simple: true }))
    } catch (error) {
      throw this.#toStorageError(error)
    }
  }

  close(): void {
    this.#prepared.clear()
    if (this.#options.isOwner) this.#database.close()
  }

  #run({ sql, parameters }: Statement): Row[] {
    const statement = this.#prepare(sql)
    if (statement.reader) return statement.all(parameters) as Row[]
    statement.run(parameters)
    return []
  }

  #control(sql: string): void {
    this.#prepare(sql).run({})
  }

  #prepare(sql: string): PreparedStatement {
    const found = this.#prepared.get(sql)
    if (found) return found
    const statement = this.#database.prepare(sql)
    if (statement.reader) statement.safeIntegers(false)
    this.#prepared.set(sql, statement)
    return statement
  }

  #toStorageError(error: unknown): unknown {
    const { name } = this.#options
    if (!this.#database.open) return unavailable(name, 'its database has been closed', error)
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (typeof code !== 'string' || !code.startsWith('SQLITE_')) return error
    return storageError(name, { code, error })
  }
}

function isUnsafe(database: BetterSQLite3Database): boolean {
  try {
    database.prepare('UPDATE millrace_words_idx SET term = term WHERE false')
    return true
  } catch {
    return false
  }
}
