import { PostgresStore } from '@millrace/store-postgres'
import { testStorage } from '@millrace/testing'
import { afterAll } from 'vitest'
import { startPostgres } from './start-postgres.ts'
import { TransactionPooling } from './transaction-pooling.ts'

const server = await startPostgres()
const pool = new TransactionPooling(server.url, { sessions: 8 })
afterAll(async () => {
  await pool.end()
  await server.stop()
})

testStorage('postgres, behind a pooler of transactions', {
  create: (schema) => new PostgresStore({ pool, schema }),
  remove: async (schema) => {
    await pool.query(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`, [])
  },
})
