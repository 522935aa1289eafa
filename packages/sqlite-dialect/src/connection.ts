/** A value as a parameter: what SQLite can keep. */
export type SQLiteValue = string | number | null | Uint8Array

/** One statement with its named parameters: `:owner` is `owner`. There may be more parameters than the text names. */
export interface Statement {
  readonly sql: string
  readonly parameters: Readonly<Record<string, SQLiteValue>>
}

export type Row = Record<string, unknown>

/**
 * What an adapter provides: a database that speaks SQLite, with FTS5. A synchronous one returns values and no promises.
 * What goes wrong is thrown as a `MillraceError`, such as `storageError` makes of the database's error.
 */
export interface SQLiteConnection {
  /** The rows of one statement that changes nothing. */
  read(statement: Statement): Row[] | Promise<Row[]>
  /** Carries out the statements in one transaction, all or none, and returns the rows of each. */
  write(statements: readonly Statement[], options: WriteOptions): Row[][] | Promise<Row[][]>
  /** Makes sure that no file still holds what was deleted. Called after deletions; does its best and does not throw. */
  purge(): void | Promise<void>
  /**
   * Gives up to so many free pages of the file back to the disk, and returns how many are left; `undefined` if the file
   * cannot shrink.
   */
  shrink?(pages: number): number | undefined | Promise<number | undefined>
  /** Gives up what the adapter has opened itself. Called once. */
  close(): void | Promise<void>
}

export interface WriteOptions {
  /** To carry it out twice gives what once gives: it may be tried again where nobody knows whether it was done. */
  readonly isRepeatable: boolean
  /**
   * The statements change the tables in which FTS5 keeps its index, which SQLite refuses where a database is defensive
   * (`SQLITE_DBCONFIG_DEFENSIVE`). An adapter allows it for these, or lets them fail: deletions take longer then.
   */
  readonly editsIndex?: boolean
}
