import { PostgresStore } from '@millrace/store-postgres'
import { testStorage } from '@millrace/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { message } from './message.ts'
import { emptyDatabase } from './pglite.ts'

const database = await emptyDatabase()
beforeAll(async () => {
  await database.exec('CREATE EXTENSION vector')
})

// The SQL is that of a server, whose rules always run.
describe.runIf(process.env.MILLRACE_THOROUGH === '1')('thorough', () => {
  testStorage('pglite with pgvector', {
    create: (schema) => new PostgresStore({ pool: database, schema, migrate: 'auto' }),
    remove: async (schema) => {
      await database.exec(`DROP SCHEMA IF EXISTS "${schema}" CASCADE`)
    },
  })
})

test('stores in PGlite, with vectors', async () => {
  const store = new PostgresStore({ pool: database, schema: 'app', migrate: 'auto' })
  const key = { threadId: 'thread', resourceId: 'ada' }
  const texts = ['The mill stands by the river.', 'The gate is shut.']
  await Promise.all(
    texts.map((text, index) => store.saveMessages({ ...key, messages: [message(`${index}`, text)] })),
  )
  expect((await store.listMessages(key)).items).toHaveLength(2)
  const [found] = await store.searchMessages({ resourceId: 'ada', query: 'mill' })
  expect(found?.message.id).toBe('0')

  const model = 'example-embedding'
  const vectors = [
    { messageId: '0', vector: [1, 0] },
    { messageId: '1', vector: [0, 1] },
  ]
  await store.saveVectors({ ...key, model, vectors })
  const [nearest] = await store.searchVectors({ resourceId: 'ada', model, vector: [0.1, 0.9], limit: 1 })
  expect(nearest?.message.id).toBe('1')
  const counted = await Promise.all([1, 2, 3].map((amount) => store.addToCounter({ key: 'calls', amount })))
  expect(Math.max(...counted.map(({ value }) => value))).toBe(6)
  await store.close()
})
