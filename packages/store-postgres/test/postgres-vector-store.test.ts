import { InMemoryVectorStore } from '@millrace/core/storage'
import { PostgresVectorStore } from '@millrace/store-postgres'
import { testVectorStore } from '@millrace/testing'
import { expect, test } from 'vitest'
import { emptyDatabase } from './pglite.ts'

const database = await emptyDatabase()
await database.exec('CREATE SCHEMA extensions; CREATE EXTENSION vector SCHEMA extensions')

let count = 0
const open = (): PostgresVectorStore =>
  new PostgresVectorStore({ pool: database, schema: `vectors "${++count}" 'é` })

testVectorStore('pgvector', { create: open })

test('finds the vectors of a small resource exactly, among many others', async () => {
  const store = open()
  const model = 'm\'odel\\ "1"'
  const own = Array.from({ length: 5 }, (_, index) => ({
    messageId: `m${index}`,
    vector: [1, index / 10, 0],
  }))
  const others = Array.from({ length: 2_000 }, (_, index) => ({
    messageId: `m${index}`,
    vector: [1, Math.sin(index) / 100, Math.cos(index) / 100],
  }))
  await store.saveVectors({ threadId: 't', resourceId: 'ben', model, vectors: others })
  await store.saveVectors({ threadId: 't', resourceId: 'ada', model, vectors: own })
  await database.exec('ANALYZE')
  const found = await store.searchVectors({ resourceId: 'ada', model, vector: [1, 0, 0], limit: 3 })
  expect(found.map(({ messageId }) => messageId)).toEqual(['m0', 'm1', 'm2'])
  const { rows } = await database.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_indexes WHERE indexdef LIKE '%hnsw%' AND schemaname = $1`,
    [`vectors "${count}" 'é`],
  )
  expect(rows).toEqual([{ count: 1 }])
})

test('has a high recall with the index', async () => {
  const store = open()
  const exact = new InMemoryVectorStore()
  // Near each other as texts are: few independent directions.
  const vectorOf = (index: number): number[] =>
    Array.from(
      { length: 16 },
      (_, place) => Math.sin((index + 1) * ((place % 5) + 1) * 0.7) + Math.sin(index * 13 + place) / 10,
    )
  const vectors = Array.from({ length: 1_100 }, (_, index) => ({
    messageId: `m${index}`,
    vector: vectorOf(index),
  }))
  for (const one of [store, exact]) {
    await one.saveVectors({ threadId: 't', resourceId: 'ada', model: 'm', vectors })
  }
  await database.exec('ANALYZE; SET enable_sort = off')
  for (const limit of [10, 100]) {
    let found = 0
    for (let query = 0; query < 10; query++) {
      const search = { resourceId: 'ada', model: 'm', vector: vectorOf(query + 0.5), limit }
      const [near, nearest] = await Promise.all([store.searchVectors(search), exact.searchVectors(search)])
      expect(near).toHaveLength(limit)
      const wanted = new Set(nearest.map(({ messageId }) => messageId))
      found += near.filter(({ messageId }) => wanted.has(messageId)).length
    }
    expect(found / (10 * limit)).toBeGreaterThan(0.95)
  }
  await database.exec('RESET enable_sort')
})

test('throws for vectors of another length, and for a database without pgvector', async () => {
  const store = open()
  await store.saveVectors({ threadId: 't', model: 'm', vectors: [{ messageId: 'a', vector: [1, 0] }] })
  await expect(store.searchVectors({ model: 'm', vector: [1, 0, 0] })).rejects.toMatchObject({
    code: 'STORAGE_INPUT_INVALID',
  })
})

test('two stores create the table once, and a closed one throws', async () => {
  const name = 'at once'
  const stores = [1, 2, 3].map(() => new PostgresVectorStore({ pool: database, schema: name }))
  await Promise.all(
    stores.map((store, index) =>
      store.saveVectors({
        threadId: 't',
        model: 'm',
        vectors: [{ messageId: `m${index}`, vector: [1, index] }],
      }),
    ),
  )
  expect(await stores[0]?.searchVectors({ model: 'm', vector: [1, 0] })).toHaveLength(3)
  await stores[0]?.close()
  await expect(stores[0]?.searchVectors({ model: 'm', vector: [1, 0] })).rejects.toMatchObject({
    code: 'STORAGE_CLOSED',
  })
})

// The last: it takes pgvector from all stores of the file.
test('a database without pgvector is an error that says what to do', async () => {
  await database.exec('DROP EXTENSION vector CASCADE')
  await expect(open().searchVectors({ model: 'm', vector: [1] })).rejects.toThrow(/CREATE EXTENSION vector/)
})
