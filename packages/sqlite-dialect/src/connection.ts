/** A value that SQLite can store, as a parameter. */
export type SQLiteValue = string | number | null | Uint8Array

/**
 * A statement with named parameters: `:owner` is `owner`. Parameters that the statement does not use are
 * ignored.
 */
export interface Statement {
  readonly sql: string
  readonly parameters: Readonly<Record<string, SQLiteValue>>
}

export type Row = Record<string, unknown>

/**
 * What an adapter implements: a connection to a SQLite database with FTS5. A synchronous adapter returns
 * values instead of promises. Errors are thrown as `MillraceError`s, for example by `storageError`.
 */
export interface SQLiteConnection {
  /** Runs a statement that changes nothing, and returns its rows. */
  read(statement: Statement): Row[] | Promise<Row[]>
  /** Runs the statements in one transaction, and returns the rows of each. */
  write(statements: readonly Statement[], options: WriteOptions): Row[][] | Promise<Row[][]>
  /**
   * Removes deleted data from the files, such as the WAL. Called after deletions. Best effort: it does not
   * throw.
   */
  purge(): void | Promise<void>
  /**
   * Returns up to this many free pages of the file to the file system. Returns how many are left, or
   * `undefined` if the file cannot shrink.
   */
  shrink?(pages: number): number | undefined | Promise<number | undefined>
  /** Closes what the adapter has opened itself. Called once. */
  close(): void | Promise<void>
}

export interface WriteOptions {
  /** The statements are idempotent: they may be retried if it is unknown whether they took effect. */
  readonly isRepeatable: boolean
  /**
   * The statements write to the tables in which FTS5 stores its index. SQLite refuses this for a defensive
   * database (`SQLITE_DBCONFIG_DEFENSIVE`). An adapter can turn that off for them, or let them fail:
   * deletions then take longer.
   */
  readonly editsIndex?: boolean
}
