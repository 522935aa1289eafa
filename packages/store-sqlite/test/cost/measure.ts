import type { Message, Store } from '@millrace/core'
import { SQLiteStore } from '@millrace/store-sqlite'
import Database from 'better-sqlite3'
import { type HandWritten, handWritten } from './hand-written.ts'
import { SampleTurns, wordOfRank } from './sample-turns.ts'

const DIMENSIONS = 384

/** Threads that searches and long reads are in, and one of 1,000 messages that have vectors. */
const LONG = { threadId: 'long', resourceId: 'ada' }
const SHORT = { threadId: 'short', resourceId: 'ada' }
const MODEL = 'example'

export interface Measurement {
  name: string
  /** Microseconds. */
  store: number
  handWritten: number
  ratio: number
}

/** Two equal databases: one for the store, one for statements written by hand. */
export interface Pair {
  store: Store
  byHand: { long: HandWritten; short: HandWritten }
  turns: { store: SampleTurns; byHand: SampleTurns }
  close(): Promise<void>
}

/** `messages`: in the long thread. There are 1,000 more in the short one. */
export async function openPair(
  pathOf: (name: string) => string,
  { messages }: { messages: number },
): Promise<Pair> {
  const turns = { store: new SampleTurns(), byHand: new SampleTurns() }
  const store = await fill(pathOf('store'), { turns: turns.store, messages })
  await (await fill(pathOf('by-hand'), { turns: turns.byHand, messages })).close()
  const database = new Database(pathOf('by-hand'))
  database.pragma('synchronous = NORMAL')
  return {
    store,
    byHand: {
      long: handWritten(database, { owner: LONG.resourceId, threadId: LONG.threadId }),
      short: handWritten(database, { owner: SHORT.resourceId, threadId: SHORT.threadId }),
    },
    turns,
    async close() {
      database.close()
      await store.close()
    },
  }
}

async function fill(
  path: string,
  { turns, messages }: { turns: SampleTurns; messages: number },
): Promise<SQLiteStore> {
  const store = new SQLiteStore({ path })
  for (let count = 0; count < messages; count += 1_000) {
    await store.saveMessages({ ...LONG, messages: take(turns, Math.min(1_000, messages - count)) })
  }
  const short = take(turns, 1_000)
  await store.saveMessages({ ...SHORT, messages: short })
  const vectors = short.map(({ id }) => ({ messageId: id, vector: turns.vector(DIMENSIONS) }))
  await store.saveVectors({ ...SHORT, model: MODEL, vectors })
  return store
}

function take(turns: SampleTurns, count: number): Message[] {
  return Array.from({ length: count / 2 }, () => turns.next()).flat()
}

/** Ranks of the words that are looked for together: of 100,000 messages, the first is in most, the last in some. */
const QUERIES = [
  [3, 150, 900, 4_000],
  [20, 300, 2_500, 9_000],
  [1, 5, 700, 12_000],
]

export function measurementsOf({ store, byHand, turns }: Pair): Record<string, () => Promise<Measurement>> {
  const vector = turns.store.vector(DIMENSIONS)
  return {
    save: () =>
      measure('save a turn', {
        times: 20,
        store: () => store.saveMessages({ ...LONG, messages: turns.store.next() }),
        handWritten: () => byHand.long.saveTurn(turns.byHand.next()),
      }),
    read: () =>
      measure('read the last 20', {
        times: 20,
        store: () => store.listMessages({ ...LONG, order: 'desc', limit: 20 }),
        handWritten: () => byHand.long.readLast(20),
      }),
    search: () => {
      const queries = QUERIES.map((ranks) => ranks.map(wordOfRank))
      let next = 0
      let other = 0
      return measure('search by words', {
        times: queries.length,
        store: () =>
          store.searchMessages({
            resourceId: 'ada',
            query: queries[next++ % queries.length]?.join(' ') ?? '',
          }),
        handWritten: () => byHand.long.search(queries[other++ % queries.length] ?? []),
      })
    },
    delete: () =>
      measure('delete a message', {
        times: 2,
        store: async () => {
          const messages = turns.store.next()
          await store.saveMessages({ ...LONG, messages })
          await store.deleteMessages({ ...LONG, messageIds: messages.map(({ id }) => id) })
        },
        handWritten: () => store.getThread(LONG),
      }),
    newcomer: () =>
      measure('search by words for a resource that has nothing', {
        times: 20,
        store: () => store.searchMessages({ resourceId: 'bob', query: [1, 2, 3].map(wordOfRank).join(' ') }),
        handWritten: () => store.getThread(LONG),
      }),
    vectors: () =>
      measure('search 1,000 vectors', {
        times: 1,
        store: () => store.searchVectors({ ...SHORT, model: MODEL, vector }),
        handWritten: () => byHand.short.searchVectors(vector),
      }),
  }
}

/**
 * Both in each of several rounds, after a few to warm up, and of all rounds the one in the middle: what else the machine
 * does weighs on both, and rarely.
 */
async function measure(
  name: string,
  { times, ...runs }: { times: number; store: () => Promise<unknown>; handWritten: () => unknown },
): Promise<Measurement> {
  const rounds: { store: number; handWritten: number; ratio: number }[] = []
  for (let round = 0; round < 36; round++) {
    const store = await timeOf(runs.store, times)
    const handWritten = await timeOf(runs.handWritten, times)
    if (round >= 5) rounds.push({ store, handWritten, ratio: store / handWritten })
  }
  rounds.sort((left, right) => left.ratio - right.ratio)
  return { name, ...(rounds[15] ?? { store: 0, handWritten: 0, ratio: Number.NaN }) }
}

async function timeOf(run: () => unknown, times: number): Promise<number> {
  const startedAt = performance.now()
  for (let time = 0; time < times; time++) await run()
  return ((performance.now() - startedAt) / times) * 1_000
}
