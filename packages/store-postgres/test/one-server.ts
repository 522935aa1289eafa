import { ONE_SERVER, startPostgres } from './start-postgres.ts'

/** Starts one server for all files of tests. Each uses schemas or a database of its own. */
export default async function startOneServer(): Promise<(() => Promise<void>) | undefined> {
  try {
    const server = await startPostgres()
    process.env[ONE_SERVER] = server.url
    return () => server.stop()
  } catch {
    // Tests of other packages run without it. Those that need it try again, and say why it does not start.
    return undefined
  }
}
