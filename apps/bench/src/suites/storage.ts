import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { queryTerms } from '@millrace/core/storage'
import { SQLiteStore } from '@millrace/store-sqlite'
import Database from 'better-sqlite3'
// The baseline of the store's tests.
import { type HandWritten, handWritten } from '../../../../packages/store-sqlite/test/cost/hand-written.ts'
import { SampleTurns, wordOfRank } from '../../../../packages/store-sqlite/test/cost/sample-turns.ts'
import type { Suite } from '../figure.ts'
import { type Contest, type Measurement, measure } from '../measure.ts'

const place = { threadId: 'talk', resourceId: 'ada' }
const MODEL = 'bench/vectors'
const DIMENSIONS = 384
/** Calls per measured round. */
const REPEATS = 20

/** The cost of the SQLite store, compared with hand-written statements on the same tables. */
export const storageSuite: Suite = {
  name: 'storage',
  about: 'the SQLite store, compared with prepared statements on the same tables',
  async run({ quick }) {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
    try {
      const many = quick ? 20_000 : 1_000_000
      const searched = quick ? 10_000 : 100_000
      const measurements: Measurement[] = [
        ...(await onStore(join(folder, 'many.db'), many, (store, floor, turns) => [
          saving(store, floor, { turns, count: many }),
          readingLast(store, floor, many),
        ])),
        ...(await onStore(join(folder, 'words.db'), searched, (store, floor) => [
          searching(store, floor, searched),
        ])),
        ...(await onStore(
          join(folder, 'vectors.db'),
          1_000,
          (store, floor, turns) => [nearest(store, floor, turns.vector(DIMENSIONS))],
          { vectors: true },
        )),
      ]
      return { measurements, figures: [] }
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
}

/** Fills a store with one thread of this number of messages, and measures it. */
async function onStore(
  path: string,
  count: number,
  contests: (store: SQLiteStore, floor: HandWritten, turns: SampleTurns) => Contest[],
  { vectors = false }: { vectors?: boolean } = {},
): Promise<Measurement[]> {
  const store = new SQLiteStore({ path })
  const turns = new SampleTurns()
  for (let saved = 0; saved < count; saved += 1_000) {
    const messages = Array.from({ length: Math.min(1_000, count) / 2 }, () => turns.next()).flat()
    await store.saveMessages({ ...place, messages })
    if (!vectors) continue
    const embedded = messages.map(({ id }) => ({ messageId: id, vector: turns.vector(DIMENSIONS) }))
    await store.saveVectors({ ...place, model: MODEL, vectors: embedded })
  }
  const database = new Database(path)
  database.pragma('synchronous = NORMAL')
  const floor = handWritten(database, { owner: place.resourceId, threadId: place.threadId })
  const measurements: Measurement[] = []
  for (const contest of contests(store, floor, turns)) measurements.push(...(await measure(contest)))
  database.close()
  await store.close()
  return measurements
}

function saving(
  store: SQLiteStore,
  floor: HandWritten,
  { turns, count }: { turns: SampleTurns; count: number },
): Contest {
  return {
    name: `saving a turn to ${count.toLocaleString('en')} messages`,
    contestants: [
      { name: 'statements', run: () => repeat(() => floor.saveTurn(turns.next())) },
      { name: 'store', run: () => repeat(() => store.saveMessages({ ...place, messages: turns.next() })) },
    ],
    budgets: { store: 1.5 },
  }
}

function readingLast(store: SQLiteStore, floor: HandWritten, count: number): Contest {
  return {
    name: `the last 20 of ${count.toLocaleString('en')} messages`,
    contestants: [
      { name: 'statements', run: () => repeat(() => floor.readLast(20)) },
      { name: 'store', run: () => repeat(() => store.listMessages({ ...place, order: 'desc', limit: 20 })) },
    ],
    budgets: { store: 1.5 },
  }
}

function searching(store: SQLiteStore, floor: HandWritten, count: number): Contest {
  // Rare words with a common one, as in a question. A search that skips common words must know their frequency.
  const query = [wordOfRank(2), wordOfRank(3_000), wordOfRank(9_000)].join(' ')
  const terms = queryTerms(query)
  return {
    name: `words among ${count.toLocaleString('en')} messages`,
    contestants: [
      { name: 'statements', run: () => repeat(() => floor.search(terms)) },
      {
        name: 'store',
        run: () => repeat(() => store.searchMessages({ resourceId: place.resourceId, query })),
      },
    ],
    budgets: { store: 1.5 },
  }
}

function nearest(store: SQLiteStore, floor: HandWritten, vector: Float32Array): Contest {
  return {
    name: 'vectors of one thread of 1,000',
    contestants: [
      { name: 'statements', run: () => repeat(() => floor.searchVectors(vector)) },
      { name: 'store', run: () => repeat(() => store.searchVectors({ ...place, model: MODEL, vector })) },
    ],
    budgets: { store: 1.5 },
  }
}

async function repeat(run: () => unknown): Promise<void> {
  for (let time = 0; time < REPEATS; time++) await run()
}
