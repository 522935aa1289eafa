import type { Client, LibsqlError, ResultSet } from '@libsql/client'
import { unavailable } from '@millrace/core/storage'
import { type Row, type SQLiteConnection, type Statement, storageError } from '@millrace/sqlite-dialect'

export interface LibSQLConnectionOptions {
  /** The name of the adapter, for errors. */
  name: string
  /** Whether to close the client with the connection. */
  isOwner: boolean
}

/** Each list of statements is one batch: over the network, one request. */
export class LibSQLConnection implements SQLiteConnection {
  readonly #client: Client
  readonly #options: LibSQLConnectionOptions

  constructor(client: Client, options: LibSQLConnectionOptions) {
    this.#client = client
    this.#options = options
  }

  async read(statement: Statement): Promise<Row[]> {
    try {
      return toRows(await this.#client.execute(toStatement(statement)))
    } catch (error) {
      throw this.#toStorageError(error)
    }
  }

  async write(statements: readonly Statement[]): Promise<Row[][]> {
    try {
      return (await this.#client.batch(statements.map(toStatement), 'write')).map(toRows)
    } catch (error) {
      throw this.#toStorageError(error)
    }
  }

  async purge(): Promise<void> {
    if (this.#client.protocol !== 'file') return
    try {
      await this.#client.execute('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch {
      // The deletion itself is done.
    }
  }

  close(): void {
    if (this.#options.isOwner) this.#client.close()
  }

  #toStorageError(error: unknown): unknown {
    const code = (error as LibsqlError).code
    if (typeof code === 'string' && code.startsWith('SQLITE_')) {
      return storageError(this.#options.name, { code, error })
    }
    return unavailable(this.#options.name, 'the server cannot be reached', error)
  }
}

function toStatement({ sql, parameters }: Statement): { sql: string; args: Record<string, never> } {
  return { sql, args: parameters as Record<string, never> }
}

function toRows({ columns, rows }: ResultSet): Row[] {
  return rows.map((row) => Object.fromEntries(columns.map((column, index) => [column, row[index]])))
}
