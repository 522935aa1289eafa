import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { MillraceError } from '@millrace/core'
import { busy, closed, failed, full, schemaNewer, schemaOutdated } from '@millrace/core/storage'
import { SCHEMA, SCHEMA_VERSION } from './schema.ts'

export type Row = Record<string, string | number | null>

type Values = readonly (SQLInputValue | undefined)[]

const NAME = 'TemplateStore'

/** A SQLite file: runs statements and transactions, and maps their errors to the errors of the contract. */
export class Database {
  readonly #database: DatabaseSync
  #isMigrated = false

  constructor(path: string) {
    // How long a call waits for a lock on the file, in milliseconds.
    this.#database = new DatabaseSync(path, { timeout: 20_000 })
    this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  }

  migrate(): void {
    this.#transaction(() => {
      if (this.#version() < SCHEMA_VERSION)
        this.#database.exec(`${SCHEMA} PRAGMA user_version = ${SCHEMA_VERSION}`)
    })
  }

  close(): void {
    if (this.#database.isOpen) this.#database.close()
  }

  /** Runs `work` in a transaction. Other connections cannot write meanwhile. */
  transaction<RESULT>(work: () => RESULT): RESULT {
    return this.#transaction(() => {
      this.#isMigrated ||= this.#checkMigrated()
      return work()
    })
  }

  all(sql: string, values: Values): Row[] {
    return this.#database.prepare(sql).all(...values.map(toInput)) as Row[]
  }

  /** Returns the number of changed rows. */
  run(sql: string, values: Values): number {
    return Number(this.#database.prepare(sql).run(...values.map(toInput)).changes)
  }

  #transaction<RESULT>(work: () => RESULT): RESULT {
    if (!this.#database.isOpen) throw closed(NAME)
    try {
      this.#database.exec('BEGIN IMMEDIATE')
      const result = work()
      this.#database.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK')
      throw toStoreError(error)
    }
  }

  #checkMigrated(): boolean {
    const found = this.#version()
    if (found < SCHEMA_VERSION) throw schemaOutdated(NAME, { found, needed: SCHEMA_VERSION })
    return true
  }

  #version(): number {
    const found = this.all('PRAGMA user_version', [])[0]?.user_version as number
    if (found > SCHEMA_VERSION) throw schemaNewer(NAME, { found, known: SCHEMA_VERSION })
    return found
  }
}

function toInput(value: SQLInputValue | undefined): SQLInputValue {
  return value ?? null
}

/** https://www.sqlite.org/rescode.html */
function toStoreError(error: unknown): unknown {
  const { errcode } = error as { errcode?: number }
  if (MillraceError.isInstance(error)) return error
  // The lowest byte is the primary result code.
  switch ((errcode ?? 0) & 0xff) {
    case 5:
    case 6:
      return busy(NAME, 'the file is locked', error)
    case 13:
      return full(NAME, 'the disk is full', error)
    default:
      return failed(NAME, 'the database failed', error)
  }
}
