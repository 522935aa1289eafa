import { schemaNewer, schemaOutdated } from '@millrace/core/storage'
import { faultOf } from './fault.ts'
import { migrate, readVersion } from './migrate.ts'
import { MIGRATIONS, SCHEMA_VERSION } from './migrations.ts'
import { CommitFailed, type Connections, type Sql } from './postgres-pool.ts'
import type { Tables } from './tables.ts'

/**
 * Runs statements after the schema is migrated, maps database errors to the errors of the contract, and
 * retries where that is safe.
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

  /** A statement without side effects: retried if its connection breaks. */
  readonly read: Sql = (text, values) =>
    this.#run(() => this.#connections.query(text, values), { undone: true })

  /** A statement with side effects: retried only if it certainly had no effect. */
  readonly write: Sql = (text, values) =>
    this.#run(() => this.#connections.query(text, values), { undone: false })

  /** Retried only if it was not committed: `work` can run several times. */
  readonly transaction: Connections['transaction'] = (work) =>
    this.#run(() => this.#connections.transaction(work), { undone: true })

  /** The extensions that are installed. */
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

  /** Checks the schema once, and again after a failed check. */
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
  /** The schema that contains pgvector; `undefined` if it is not installed. */
  pgvector: string | undefined
}

/**
 * Maximum number of attempts, and the delay before the second one, in milliseconds. The delay doubles with
 * each attempt.
 */
const ATTEMPTS = 6
const FIRST_DELAY = 5

async function repeat<RESULT>(call: () => Promise<RESULT>, { undone }: { undone: boolean }): Promise<RESULT> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call()
    } catch (thrown) {
      const fault =
        thrown instanceof CommitFailed
          ? faultOf(thrown.cause, { undone: false })
          : faultOf(thrown, { undone })
      if (!fault.undone || !fault.transient || attempt === ATTEMPTS) throw fault.error
      // Random jitter between half and the full delay, so that conflicting calls do not collide again.
      await delay(FIRST_DELAY * 2 ** (attempt - 1) * (0.5 + Math.random() / 2))
    }
  }
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
