import { PostgresStore } from '@millrace/store-postgres'
import { testStorage } from '@millrace/testing'
import pg from 'pg'
import { afterAll } from 'vitest'
import { startPostgres } from './start-postgres.ts'

const server = await startPostgres()
const pool = new pg.Pool({ connectionString: server.url, max: 8 })
afterAll(async () => {
  await pool.end()
  await server.stop()
})

testStorage('postgres', {
  create: (schema) => new PostgresStore({ pool, schema }),
  remove: async (schema) => {
    await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  },
})
