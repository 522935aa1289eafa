import { schemaNewer } from '@millrace/core/storage'
import type { Migration } from './migrations.ts'
import type { Connections, Sql } from './postgres-pool.ts'
import type { Tables } from './tables.ts'

/**
 * Migrates the schema to the newest version, in one transaction. If several processes start at the same time,
 * one migrates and the others wait for an advisory lock. The lock belongs to the transaction, because a
 * pooler may use another session for the next one.
 *
 * @throws MillraceError `STORAGE_SCHEMA_NEWER`
 */
export async function migrate(
  connections: Connections,
  { tables, migrations }: { tables: Tables; migrations: readonly Migration[] },
): Promise<void> {
  await connections.transaction(async (sql) => {
    await sql('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`migrate ${tables.version}`])
    const found = await readVersion(sql, tables)
    if (found > migrations.length) {
      throw schemaNewer('PostgresStore', { found, known: migrations.length })
    }
    if (found === migrations.length) return
    if (found === 0) {
      // Checked first, because `CREATE … IF NOT EXISTS` requires the privilege even if there is nothing to
      // create.
      const [schema] = await sql('SELECT to_regnamespace($1) IS NULL AS missing', [tables.schema])
      if (schema?.missing === true) await sql(`CREATE SCHEMA ${tables.schema}`)
      await sql(`CREATE TABLE ${tables.version} (version integer NOT NULL)`)
      await sql(`INSERT INTO ${tables.version} VALUES (0)`)
    }
    for (const migration of migrations.slice(found)) {
      for (const statement of migration(tables)) await sql(statement)
    }
    await sql(`UPDATE ${tables.version} SET version = $1`, [migrations.length])
  })
}

/** The current schema version; 0 if there are no tables. */
export async function readVersion(sql: Sql, tables: Tables): Promise<number> {
  const [table] = await sql('SELECT to_regclass($1) IS NOT NULL AS found', [tables.version])
  if (table?.found !== true) return 0
  const [row] = await sql(`SELECT version FROM ${tables.version}`)
  return Number(row?.version ?? 0)
}
