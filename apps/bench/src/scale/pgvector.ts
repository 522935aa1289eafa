import { PGlite } from '@electric-sql/pglite'
import { vector } from '@electric-sql/pglite-pgvector'
import { PostgresVectorStore } from '@millrace/store-postgres'
import type { Figure } from '../figure.ts'
import { quantile } from '../measure.ts'
import { EmbeddedTexts } from './embedded-texts.ts'

const MODEL = 'bench/vectors'
const AT_ONCE = 500
const QUERIES = 50
/** Vectors of a resource that has few. */
const FEW = 1_000
/** The limits: of an application, and of recall, which ranks a hundred. */
const LIMITS = [10, 100] as const
/** The minimum share of the nearest vectors that the index must find. Recall ranks its candidates again. */
const RECALL = 0.95

/** Compares the HNSW index of pgvector, in this process, with exact search: its cost and its recall. */
export async function measurePgvector(count: number): Promise<Figure[]> {
  const database = await PGlite.create({ extensions: { vector } })
  await database.exec('CREATE EXTENSION vector')
  const loading = new PostgresVectorStore({ pool: database })
  const texts = new EmbeddedTexts()
  const last = { messageId: 'last', vector: texts.next() }
  const figures: Figure[] = []
  const label = `pgvector, ${count.toLocaleString('en')} of a resource`
  const fill = async (resourceId: string, size: number): Promise<Float32Array[]> => {
    const all: Float32Array[] = []
    while (all.length < size) {
      const vectors = Array.from({ length: Math.min(AT_ONCE, size - all.length) }, (_, index) => ({
        messageId: String(all.length + index),
        vector: texts.next(),
      }))
      await loading.saveVectors({ resourceId, threadId: 'talk', model: MODEL, vectors })
      all.push(...vectors.map(({ vector: own }) => own))
    }
    return all
  }
  await fill('nobody', 1)
  // Building the index after the inserts is several times as fast.
  await dropIndexes(database)
  const many = await fill('ada', count)
  const few = await fill('ben', FEW)
  await database.exec("ANALYZE; SET maintenance_work_mem = '512MB'")
  const store = new PostgresVectorStore({ pool: database })
  const started = performance.now()
  await store.saveVectors({ resourceId: 'nobody', threadId: 'talk', model: MODEL, vectors: [last] })
  figures.push({
    name: `${label}: build the index`,
    value: (performance.now() - started) / 60_000,
    unit: 'minutes',
  })
  const queries = Array.from({ length: QUERIES }, () => texts.next())
  for (const [resourceId, all, what] of [
    ['ada', many, label],
    ['ben', few, `pgvector, ${FEW.toLocaleString('en')} beside those`],
  ] as const) {
    for (const limit of LIMITS) {
      const times: number[] = []
      let found = 0
      for (const query of queries) {
        const from = performance.now()
        const matches = await store.searchVectors({ resourceId, model: MODEL, vector: query, limit })
        times.push(performance.now() - from)
        const nearest = new Set(nearestOf(query, all, limit))
        found += matches.filter(({ messageId }) => nearest.has(Number(messageId))).length
      }
      const share = found / (QUERIES * limit)
      figures.push(
        { name: `${what}: search ${limit}`, value: quantile(times, 0.5), unit: 'ms' },
        { name: `${what}: search ${limit}, 95th percentile`, value: quantile(times, 0.95), unit: 'ms' },
        // A budget is a maximum, so the figure is the share that is missed.
        { name: `${what}: left out of the ${limit} nearest`, value: 1 - share, unit: '', budget: 1 - RECALL },
      )
    }
  }
  await store.close()
  await database.close()
  return figures
}

async function dropIndexes(database: PGlite): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    "SELECT quote_ident(indexname) AS name FROM pg_indexes WHERE indexdef LIKE '%hnsw%'",
  )
  for (const { name } of rows) await database.exec(`DROP INDEX ${name}`)
}

/** By comparison with all vectors. */
function nearestOf(query: Float32Array, all: readonly Float32Array[], limit: number): number[] {
  return all
    .map((own, index) => ({ index, score: dotProduct(query, own) }))
    .sort((left, right) => right.score - left.score)
    .slice(0, limit)
    .map(({ index }) => index)
}

function dotProduct(left: Float32Array, right: Float32Array): number {
  let sum = 0
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0)
  return sum
}
