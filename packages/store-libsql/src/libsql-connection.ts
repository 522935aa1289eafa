import type { Client, InStatement, InValue, ResultSet } from '@libsql/client'
import type { Row, SQLiteConnection, Statement, WriteOptions } from '@millrace/sqlite-dialect'
import { isBusy, isClosed, isUndone, isUnknown, toStorageError } from './libsql-error.ts'

export interface LibSQLConnectionOptions {
  /** The name of the adapter, for errors. */
  store: string
  /** Whether the client was opened for this connection, and is closed with it. */
  isOwner: boolean
  /** Whether a file was opened for this connection: then it can be opened again. */
  mayReopen: boolean
  /** Carried out first, one by one, where the database is a file that was opened for this connection. */
  settings: readonly string[]
  /** Statements that empty the log of a file. */
  purge: string
}

/** How long to wait before another try, in milliseconds. */
const DELAYS = [50, 250]

/** Every list of statements is one batch: over the network, one request. */
export class LibSQLConnection implements SQLiteConnection {
  readonly #client: Client
  readonly #options: LibSQLConnectionOptions
  readonly #isFile: boolean
  #opened: Promise<void> | undefined

  constructor(client: Client, options: LibSQLConnectionOptions) {
    this.#client = client
    this.#options = options
    this.#isFile = client.protocol === 'file'
  }

  async read(statement: Statement): Promise<Row[]> {
    const result = await this.#try(() => this.#client.execute(toInStatement(statement)), {
      isRepeatable: true,
    })
    return toRows(result)
  }

  async write(statements: readonly Statement[], options: WriteOptions): Promise<Row[][]> {
    const batch = statements.map(toInStatement)
    // A client may have several connections to a file, and this is a setting of one.
    if (this.#isFile) batch.unshift('PRAGMA secure_delete = ON')
    const results = await this.#try(() => this.#client.batch(batch, 'write'), options)
    return (this.#isFile ? results.slice(1) : results).map(toRows)
  }

  /**
   * Moves the log's pages into the database and empties it. Whoever reads meanwhile may hold it up: the next deletion does
   * it. What a server keeps is its own affair.
   */
  async purge(): Promise<void> {
    // The deletion itself is done.
    if (this.#isFile) await this.#client.executeMultiple(this.#options.purge).catch(() => undefined)
  }

  async shrink(pages: number): Promise<number | undefined> {
    if (!this.#isFile) return undefined
    const ask = async (name: string): Promise<number> => {
      const [row] = await this.read({ sql: `SELECT ${name} AS value FROM pragma_${name}`, parameters: {} })
      return Number(row?.value)
    }
    // 2: by steps.
    if ((await ask('auto_vacuum')) !== 2) return undefined
    const step = (): Promise<void> => this.#client.executeMultiple(`PRAGMA incremental_vacuum(${pages})`)
    await this.#try(step, { isRepeatable: true })
    return ask('freelist_count')
  }

  close(): void {
    if (this.#options.isOwner) this.#client.close()
  }

  /** Tries again what failed before it was begun, and what may be done twice. */
  async #try<RESULT>(run: () => Promise<RESULT>, { isRepeatable }: WriteOptions): Promise<RESULT> {
    for (let attempt = 0; ; attempt++) {
      try {
        this.#opened ??= this.#open()
        await this.#opened
        return await run()
      } catch (error) {
        if (this.#options.mayReopen && isBusy(error)) await this.#reopen()
        const delay = DELAYS[attempt]
        const mayTryAgain =
          isUndone(error) ||
          (isRepeatable && isUnknown(error)) ||
          // By `#reopen`, while this call waited for the connection.
          (this.#options.mayReopen && isClosed(error))
        if (delay === undefined || !mayTryAgain) throw toStorageError(this.#options.store, error)
        await new Promise((resolve) => setTimeout(resolve, delay))
      }
    }
  }

  /** The driver keeps a statement that has failed for a lock, and commits nothing more while it does. */
  async #reopen(): Promise<void> {
    this.#opened = undefined
    await this.#client.reconnect()
  }

  async #open(): Promise<void> {
    for (const setting of this.#options.settings) await this.#client.execute(setting)
  }
}

/** Names of parameters, by the text of the statement. Servers refuse parameters that a statement does not name. */
const namesBySql = new Map<string, readonly string[]>()

function toInStatement({ sql, parameters }: Statement): InStatement {
  let names = namesBySql.get(sql)
  if (!names) {
    names = [...new Set([...sql.matchAll(/:([a-z]\w*)/gi)].map(([, name]) => name ?? ''))]
    namesBySql.set(sql, names)
  }
  const args: Record<string, InValue> = {}
  for (const name of names) args[name] = parameters[name] ?? null
  return { sql, args }
}

function toRows({ columns, rows }: ResultSet): Row[] {
  return rows.map((row) => {
    const copy: Row = {}
    for (let index = 0; index < columns.length; index++) copy[columns[index] ?? ''] = row[index]
    return copy
  })
}
