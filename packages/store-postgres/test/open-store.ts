// Opens a store in any of several processes: on the server whose URL the environment has.
import { PostgresStore } from '@millrace/store-postgres'
import pg from 'pg'

/** Where the URL of the server is. */
export const SERVER_URL = 'MILLRACE_TEST_POSTGRES'

export function create(schema: string): PostgresStore {
  return new PostgresStore({ url: process.env[SERVER_URL] ?? '', schema, maxConnections: 4 })
}

export async function remove(schema: string): Promise<void> {
  const client = new pg.Client({ connectionString: process.env[SERVER_URL] })
  await client.connect()
  await client.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  await client.end()
}
