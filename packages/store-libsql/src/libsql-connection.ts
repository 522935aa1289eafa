import type { Client, InStatement, InValue, ResultSet } from '@libsql/client'
import type { Row, SQLiteConnection, Statement, WriteOptions } from '@millrace/sqlite-dialect'
import { isBusy, isClosed, isUndone, isUnknown, toStorageError } from './libsql-error.ts'

export interface LibSQLConnectionOptions {
  /** The name of the store, for errors. */
  store: string
  /** Whether closing the connection also closes the client. */
  isOwner: boolean
  /** Whether the connection may reopen the client. Only for a file that was opened for this connection. */
  mayReopen: boolean
  /** Statements to run one by one when a file is opened. */
  settings: readonly string[]
  /** Statements that checkpoint and truncate the WAL of a file. */
  purge: string
}

/** Delays before each retry, in milliseconds. */
const DELAYS = [50, 250]

/** Each list of statements is one batch: over the network, one request. */
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
    // A client can have several connections to a file, and this setting is per connection.
    if (this.#isFile) batch.unshift('PRAGMA secure_delete = ON')
    const results = await this.#try(() => this.#client.batch(batch, 'write'), options)
    return (this.#isFile ? results.slice(1) : results).map(toRows)
  }

  /**
   * Checkpoints the WAL and truncates it. An active reader can block this; the next deletion does it then.
   * Servers manage their own WAL.
   */
  async purge(): Promise<void> {
    // Errors are ignored: the deletion itself is committed.
    if (this.#isFile) await this.#client.executeMultiple(this.#options.purge).catch(() => undefined)
  }

  async shrink(pages: number): Promise<number | undefined> {
    if (!this.#isFile) return undefined
    const ask = async (name: string): Promise<number> => {
      const [row] = await this.read({ sql: `SELECT ${name} AS value FROM pragma_${name}`, parameters: {} })
      return Number(row?.value)
    }
    // 2 is INCREMENTAL.
    if ((await ask('auto_vacuum')) !== 2) return undefined
    const step = (): Promise<void> => this.#client.executeMultiple(`PRAGMA incremental_vacuum(${pages})`)
    await this.#try(step, { isRepeatable: true })
    return ask('freelist_count')
  }

  close(): void {
    if (this.#options.isOwner) this.#client.close()
  }

  /** Retries calls that failed before they began, and calls that may run twice. */
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
          // Closed by `#reopen`, while this call waited for the connection.
          (this.#options.mayReopen && isClosed(error))
        if (delay === undefined || !mayTryAgain) throw toStorageError(this.#options.store, error)
        await new Promise((resolve) => setTimeout(resolve, delay))
      }
    }
  }

  /**
   * After a statement has failed because of a lock, the driver keeps it open, and cannot commit until the
   * client is reopened.
   */
  async #reopen(): Promise<void> {
    this.#opened = undefined
    await this.#client.reconnect()
  }

  async #open(): Promise<void> {
    for (const setting of this.#options.settings) await this.#client.execute(setting)
  }
}

/** Parameter names by SQL text. Servers reject parameters that a statement does not use. */
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
