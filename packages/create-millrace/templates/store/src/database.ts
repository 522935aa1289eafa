import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { MillraceError } from '@millrace/core'
import { busy, closed, failed, full, schemaNewer, schemaOutdated } from '@millrace/core/storage'
import { SCHEMA, SCHEMA_VERSION } from './schema.ts'

export type Row = Record<string, string | number | null>

type Values = readonly (SQLInputValue | undefined)[]

const NAME = 'TemplateStore'

/** A file of SQLite: transactions and statements, and what goes wrong with them in the words of the contract. */
export class Database {
  readonly #database: DatabaseSync
  #isMigrated = false

  constructor(path: string) {
    // Whoever finds the file locked waits, for so many milliseconds at most.
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

  /** All that `work` does happens, or nothing of it; nobody else writes meanwhile. */
  transaction<RESULT>(work: () => RESULT): RESULT {
    return this.#transaction(() => {
      this.#isMigrated ||= this.#checkMigrated()
      return work()
    })
  }

  all(sql: string, values: Values): Row[] {
    return this.#database.prepare(sql).all(...values.map(toInput)) as Row[]
  }

  /** Returns how many rows were changed. */
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
  // The lowest byte is the kind.
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
