import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres, type TestServer } from '../../store-postgres/test/start-postgres.ts'

/** A database for DBOS, in a form in which DBOS takes URLs: with a host, which the socket of the query overrides. */
export async function startDatabase(
  name = `dbos_${crypto.randomUUID().replaceAll('-', '')}`,
): Promise<TestServer> {
  const server = await startPostgres()
  const url = new URL(server.url.replace('@/', '@localhost/'))
  url.pathname = `/${name}`
  return {
    url: url.href,
    async stop() {
      await dropDatabase(server.url, name)
      await server.stop()
    },
  }
}

/**
 * Waits until others have left it. Pools end before their connections do, and a connection that the server cuts is an error
 * that nobody handles any more.
 */
async function dropDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  for (;;) {
    const { rowCount } = await client.query(
      "select 1 from pg_stat_activity where backend_type = 'client backend' and datname = $1",
      [name],
    )
    if (rowCount === 0) break
    await wait(10)
  }
  await client.query(`drop database if exists "${name}"`)
  await client.end()
}
