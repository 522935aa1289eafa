import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { Store } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { LibSQLStore } from '@millrace/store-libsql'
import { PostgresStore } from '@millrace/store-postgres'
import { SQLiteStore } from '@millrace/store-sqlite'

/**
 * The stores that recall is measured on, by name. Database files are created in `directory`. Postgres is `pool`, or an
 * instance in this process.
 */
export function openStores(directory: string, pool?: PGlite): Record<string, () => Store> {
  return {
    'in-memory': () => new InMemoryStore(),
    sqlite: () => new SQLiteStore({ path: join(directory, 'sqlite.db') }),
    libsql: () => new LibSQLStore({ url: `file:${join(directory, 'libsql.db')}` }),
    postgres: () => new PostgresStore({ pool: pool ?? new PGlite() }),
  }
}
