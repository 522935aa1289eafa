import { startPostgres, type TestServer } from '../../store-postgres/test/start-postgres.ts'

/** A server with a database for DBOS, in a form in which DBOS takes URLs: with a host, which the socket of the query overrides. */
export async function startDatabase(name = 'dbos'): Promise<TestServer> {
  const server = await startPostgres()
  const url = new URL(server.url.replace('@/', '@localhost/'))
  url.pathname = `/${name}`
  return { url: url.href, stop: () => server.stop() }
}
