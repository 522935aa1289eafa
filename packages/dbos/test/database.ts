import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres, type TestServer } from '../../store-postgres/test/start-postgres.ts'

/**
 * Starts a server with a database for DBOS. DBOS requires a host in the URL; the socket in the query
 * overrides it.
 */
export async function startDatabase(name = 'dbos'): Promise<TestServer> {
  const server = await startPostgres()
  const url = new URL(server.url.replace('@/', '@localhost/'))
  url.pathname = `/${name}`
  return {
    url: url.href,
    async stop() {
      await othersHaveLeft(server.url)
      await server.stop()
    },
  }
}

/**
 * Waits for other connections to close: `pool.end()` resolves before they do, and a connection that the
 * server cuts emits an unhandled error.
 */
async function othersHaveLeft(url: string): Promise<void> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  for (;;) {
    const { rowCount } = await client.query(
      "select 1 from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
    )
    if (rowCount === 0) break
    await wait(10)
  }
  await client.end()
}
