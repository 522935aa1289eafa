import { testStorageInProcesses } from '@millrace/testing'
import { afterAll } from 'vitest'
import { SERVER_URL } from './open-store.ts'
import { startPostgres } from './start-postgres.ts'

const server = await startPostgres()
process.env[SERVER_URL] = server.url
afterAll(() => server.stop())

const { MILLRACE_THOROUGH, MILLRACE_KILLS } = process.env

testStorageInProcesses('postgres', {
  module: new URL('./open-store.ts', import.meta.url),
  // `pnpm kills` says how many.
  kills: MILLRACE_THOROUGH === '1' || MILLRACE_KILLS ? undefined : 3,
})
