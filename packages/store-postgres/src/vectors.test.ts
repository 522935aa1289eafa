import { beforeAll, expect, test } from 'vitest'
import { message } from '../test/message.ts'
import { emptyDatabase } from '../test/pglite.ts'
import type { PostgresInProcess } from './postgres-pool.ts'
import { PostgresStore } from './postgres-store.ts'

const database = await emptyDatabase()
const key = { threadId: 't', resourceId: 'ada' }
const model = 'example-embedding'
const ids = Array.from({ length: 40 }, (_, index) => `m${index}`)
const embedding = (seed: number) =>
  Array.from({ length: 48 }, (_, index) => Math.sin(seed * 7.1 + index * index))

beforeAll(async () => {
  const store = new PostgresStore({ pool: database, migrate: 'auto' })
  await store.saveMessages({ ...key, messages: ids.map((id) => message(id, id)) })
  const vectors = ids.map((messageId, index) => ({ messageId, vector: embedding(index) }))
  await store.saveVectors({ ...key, model, vectors })
})

/** The database, and what is said to it. */
function overheard(): { pool: PostgresInProcess; statements: string[] } {
  const statements: string[] = []
  return {
    statements,
    pool: {
      query: (text, values) => {
        statements.push(text)
        return database.query(text, values)
      },
      transaction: (work) => database.transaction(work),
    },
  }
}

test('finds the same with and without pgvector, in any schema', async () => {
  const search = async (): Promise<{ hits: [string, string][]; isByPgvector: boolean }> => {
    const { pool, statements } = overheard()
    const found = await new PostgresStore({ pool }).searchVectors({
      resourceId: 'ada',
      model,
      vector: embedding(3.3),
    })
    return {
      hits: found.map(({ message, score }) => [message.id, score.toFixed(5)]),
      isByPgvector: statements.some((statement) => statement.includes('<#>')),
    }
  }
  const without = await search()
  expect(without).toMatchObject({ isByPgvector: false, hits: { length: 10 } })
  await database.exec('CREATE SCHEMA "Odd place"; CREATE EXTENSION vector SCHEMA "Odd place"')
  expect(await search()).toEqual({ ...without, isByPgvector: true })
})

test('compares vectors with more dimensions than pgvector supports', async () => {
  const store = new PostgresStore({ pool: database })
  const vector = Array.from({ length: 20_000 }, (_, index) => index % 3)
  await store.saveMessages({ threadId: 'long', messages: [message('a', 'text')] })
  await store.saveVectors({ threadId: 'long', model, vectors: [{ messageId: 'a', vector }] })
  const [hit] = await store.searchVectors({ model, vector })
  expect(hit?.score).toBeCloseTo(1, 5)
})
