import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'

let database: Promise<PGlite> | undefined

/**
 * A database in this process, with nothing in it. Starting one takes seconds: files of tests that share a process get the
 * same, one after the other, and leave it open.
 */
export async function emptyDatabase(): Promise<PGlite> {
  database ??= PGlite.create({ extensions: { vector } })
  const empty = await database
  await empty.exec('DISCARD ALL')
  await empty.exec('DROP EXTENSION IF EXISTS vector CASCADE')
  const { rows } = await empty.query<{ name: string }>(
    "SELECT quote_ident(nspname) AS name FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'",
  )
  for (const { name } of rows) await empty.exec(`DROP SCHEMA ${name} CASCADE`)
  await empty.exec('CREATE SCHEMA public')
  return empty
}
