import { schemaNewer, schemaOutdated } from '@millrace/core/storage'
import { faultOf } from './fault.ts'
import { migrate, readVersion } from './migrate.ts'
import { MIGRATIONS, SCHEMA_VERSION } from './migrations.ts'
import { CommitFailed, type Connections, type Sql } from './postgres-pool.ts'
import type { Tables } from './tables.ts'

/**
 * Runs statements once the schema is right, turns the faults of the database into those of the contract, and repeats
 * what can be repeated.
 */
export class Database {
  readonly tables: Tables
  readonly #connections: Connections
  readonly #migrates: boolean
  #ready: Promise<Extensions> | undefined

  constructor(connections: Connections, { tables, migrates }: { tables: Tables; migrates: boolean }) {
    this.#connections = connections
    this.tables = tables
    this.#migrates = migrates
  }

  /** A statement that changes nothing: repeated when its connection breaks off. */
  readonly read: Sql = (text, values) =>
    this.#run(() => this.#connections.query(text, values), { undone: true })

  /** A statement that changes something: repeated only where nothing can have been done. */
  readonly write: Sql = (text, values) =>
    this.#run(() => this.#connections.query(text, values), { undone: false })

  /** Repeated only where it was not committed: `work` may run several times. */
  readonly transaction: Connections['transaction'] = (work) =>
    this.#run(() => this.#connections.transaction(work), { undone: true })

  /** What the database has beside Postgres itself. */
  extensions(): Promise<Extensions> {
    return this.#whenReady()
  }

  migrate(): Promise<void> {
    return repeat(() => this.#migrate(), { undone: true })
  }

  async #run<RESULT>(call: () => Promise<RESULT>, options: { undone: boolean }): Promise<RESULT> {
    await this.#whenReady()
    return repeat(call, options)
  }

  /** Looks at the schema once; again after it was found wrong. */
  #whenReady(): Promise<Extensions> {
    this.#ready ??= repeat(() => this.#prepare(), { undone: true }).catch((error) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  async #prepare(): Promise<Extensions> {
    const sql = this.#connections.query
    let found = await readVersion(sql, this.tables)
    if (found < SCHEMA_VERSION && this.#migrates) {
      await this.#migrate()
      found = SCHEMA_VERSION
    }
    if (found < SCHEMA_VERSION) throw schemaOutdated('PostgresStore', { found, needed: SCHEMA_VERSION })
    if (found > SCHEMA_VERSION) throw schemaNewer('PostgresStore', { found, known: SCHEMA_VERSION })
    const [row] = await sql(
      `SELECT nspname FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'vector'`,
    )
    return { pgvector: row && String(row.nspname) }
  }

  #migrate(): Promise<void> {
    return migrate(this.#connections, { tables: this.tables, migrations: MIGRATIONS })
  }
}

export interface Extensions {
  /** The schema in which pgvector is installed; `undefined` if it is not. */
  pgvector: string | undefined
}

/** How often a call is made at most, and how long it waits before the second time, in milliseconds; then twice that. */
const ATTEMPTS = 6
const FIRST_PAUSE = 5

async function repeat<RESULT>(call: () => Promise<RESULT>, { undone }: { undone: boolean }): Promise<RESULT> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (thrown) {
      const fault =
        thrown instanceof CommitFailed
          ? faultOf(thrown.cause, { undone: false })
          : faultOf(thrown, { undone })
      if (!fault.undone || !fault.passing || attempt === ATTEMPTS) throw fault.error
      // Between half and all of it, so that those who met once do not meet again.
      await pause(FIRST_PAUSE * 2 ** (attempt - 1) * (0.5 + Math.random() / 2))
    }
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
