import { InMemoryStore, type MessageHit } from '@millrace/core/storage'
import * as fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { message } from '../test/message.ts'
import { emptyDatabase } from '../test/pglite.ts'
import { PostgresStore } from './postgres-store.ts'

const store = new PostgresStore({ pool: await emptyDatabase(), migrate: 'auto' })

beforeAll(() => store.migrate())

const word = fc.constantFrom(
  'mill',
  'water',
  'wheel',
  'stone',
  'river',
  'grain',
  'miller',
  'running',
  'the',
  '東京タワー',
)
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '))
const saved = fc.array(
  fc.record({ id: fc.integer({ max: 20 }), thread: fc.integer({ min: 0, max: 2 }), text }),
  {
    minLength: 1,
    maxLength: 25,
  },
)

const ranking = (hits: readonly MessageHit[]) =>
  hits.map(({ message, sequence, score }) => [message.threadId, message.id, sequence, score.toFixed(9)])

test('ranks like the reference after any saves, replacements and deletions', async () => {
  let run = 0
  await fc.assert(
    fc.asyncProperty(saved, text, async (steps, query) => {
      const reference = new InMemoryStore()
      const resourceId = `resource-${run++}`
      for (const both of [reference, store]) {
        for (const { id, thread, text } of steps) {
          const key = { threadId: `thread-${thread}`, resourceId }
          await both.saveMessages({ ...key, messages: [message(`${id}`, text)] })
          if (id % 7 === 3) await both.deleteMessages({ ...key, messageIds: [`${id + 1}`] })
          if (id % 7 === 5) await both.saveMessages({ ...key, messages: [], deleteAfter: `${id - 1}` })
        }
      }
      for (const options of [{}, { threadId: 'thread-1' }, { limit: 3 }]) {
        const search = { resourceId, query, limit: 100, ...options }
        expect(ranking(await store.searchMessages(search))).toEqual(
          ranking(await reference.searchMessages(search)),
        )
      }
    }),
    { numRuns: process.env.MILLRACE_THOROUGH === '1' ? 500 : 15 },
  )
})

test('stores a text of four thousand different words, and finds each of them', async () => {
  const words = Array.from({ length: 3_000 }, (_, index) => `word${index.toString(36)}x`)
  const long = [...words, ...Array.from({ length: 1_000 }, () => 'again')].join(' ')
  const resourceId = 'long'
  await store.saveMessages({
    threadId: 't',
    resourceId,
    messages: [message('long', long), message('short', 'again')],
  })
  for (const query of [words[0], words[2_999], `${words[1_500]} ${words[2_100]}`]) {
    const hits = await store.searchMessages({ resourceId, query: query ?? '' })
    expect(hits.map(({ message }) => message.id)).toEqual(['long'])
  }
  expect(await store.searchMessages({ resourceId, query: 'again' })).toHaveLength(2)
})

test('uses common words only if the query has no others', async () => {
  const resourceId = 'common'
  const messages = Array.from({ length: 10_010 }, (_, index) =>
    message(`m${index}`, index === 7 ? 'hello mill' : 'hello'),
  )
  await store.saveMessages({ threadId: 't', resourceId, messages: [...messages, message('rare', 'mill')] })
  const find = async (query: string) =>
    (await store.searchMessages({ resourceId, query, limit: 3 })).map(({ message }) => message.id)
  expect((await find('hello mill')).toSorted()).toEqual(['m7', 'rare'])
  expect(await find('hello')).toEqual(['m10009', 'm10008', 'm10007'])
})
