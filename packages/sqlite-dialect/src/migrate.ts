import { schemaNewer, schemaOutdated } from '@millrace/core/storage'
import type { SQLiteConnection } from './connection.ts'
import type { Migration } from './schema.ts'

const FIND_SCHEMA = "SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'millrace_schema'"

export interface Schema {
  /** The name of the store, for errors. */
  readonly store: string
  readonly migrations: readonly Migration[]
}

/**
 * Migrates the schema to the newest version, one transaction per version. Each migration first inserts its
 * version number, so that of two concurrent migrations one fails, and then finds the work done.
 *
 * @throws MillraceError `STORAGE_SCHEMA_NEWER`
 */
export async function migrate(connection: SQLiteConnection, { store, migrations }: Schema): Promise<void> {
  for (;;) {
    const version = await schemaVersion(connection)
    if (version > migrations.length) throw schemaNewer(store, { found: version, known: migrations.length })
    const migration = migrations[version]
    if (!migration) return
    const statements = [
      'CREATE TABLE IF NOT EXISTS millrace_schema (version INTEGER PRIMARY KEY) STRICT',
      `INSERT INTO millrace_schema VALUES (${version + 1})`,
      ...migration,
    ]
    try {
      await connection.write(
        statements.map((sql) => ({ sql, parameters: {} })),
        { isRepeatable: false },
      )
    } catch (error) {
      if ((await schemaVersion(connection)) === version) throw error
    }
  }
}

/**
 * @throws MillraceError `STORAGE_SCHEMA_OUTDATED` or `STORAGE_SCHEMA_NEWER` if the schema does not have the
 *   newest version
 */
export async function checkSchema(
  connection: SQLiteConnection,
  { store, migrations }: Schema,
): Promise<void> {
  const found = await schemaVersion(connection)
  if (found > migrations.length) throw schemaNewer(store, { found, known: migrations.length })
  if (found < migrations.length) throw schemaOutdated(store, { found, needed: migrations.length })
}

async function schemaVersion(connection: SQLiteConnection): Promise<number> {
  const [found] = await connection.read({ sql: FIND_SCHEMA, parameters: {} })
  if (!found) return 0
  const sql = 'SELECT max(version) AS version FROM millrace_schema'
  const [row] = await connection.read({ sql, parameters: {} })
  return Number(row?.version ?? 0)
}
