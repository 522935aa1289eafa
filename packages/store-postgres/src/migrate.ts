import { schemaNewer } from '@millrace/core/storage'
import type { Migration } from './migrations.ts'
import type { Connections, Sql } from './postgres-pool.ts'
import type { Tables } from './tables.ts'

/**
 * Brings the schema to the newest of `migrations`, in one transaction. Of several processes at once, one does the work
 * and the others wait: for a lock that ends with the transaction, since a pooler may give the next one another session.
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
      // Asked first: CREATE … IF NOT EXISTS takes the right to create also where there is nothing to do.
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

/** The version of the schema there is; 0 if there is none. */
export async function readVersion(sql: Sql, tables: Tables): Promise<number> {
  const [table] = await sql('SELECT to_regclass($1) IS NOT NULL AS found', [tables.version])
  if (table?.found !== true) return 0
  const [row] = await sql(`SELECT version FROM ${tables.version}`)
  return Number(row?.version ?? 0)
}
