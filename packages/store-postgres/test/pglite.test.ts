import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PostgresStore } from '@millrace/store-postgres'
import { testStorage } from '@millrace/testing'
import { afterAll, beforeAll } from 'vitest'

const database = await PGlite.create({ extensions: { vector } })
beforeAll(async () => {
  await database.exec('CREATE EXTENSION vector')
})
afterAll(() => database.close())

testStorage('pglite with pgvector', {
  create: (schema) => new PostgresStore({ pool: database, schema, migrate: 'auto' }),
  remove: async (schema) => {
    await database.exec(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
  },
})
