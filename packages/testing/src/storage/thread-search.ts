import type { SearchThreadsOptions, Store } from '@millrace/core'
import { assert, assertRefused } from './assert.ts'
import { sampleMessage, sampleMessages } from './sample-message.ts'
import { type StorageRules, whereSearched } from './storage-rule.ts'

const resourceId = 'ada'

async function find(store: Store, query?: string, options: SearchThreadsOptions = {}): Promise<string[]> {
  const hits = await store.searchThreads({ resourceId, ...(query !== undefined && { query }), ...options })
  return hits.map(({ thread }) => thread.id)
}

async function name(store: Store, titles: Record<string, string>): Promise<void> {
  for (const [threadId, title] of Object.entries(titles)) {
    await store.saveThread({ threadId, resourceId, title })
  }
}

async function say(store: Store, threadId: string, texts: Record<string, string>): Promise<void> {
  const messages = Object.entries(texts).map(([id, text]) => sampleMessage(id, text))
  await store.saveMessages({ threadId, resourceId, messages })
}

export const threadSearch: StorageRules = {
  'finds threads by words in their titles, regardless of case, accents and endings': async ({ store }) => {
    await name(store, { plans: 'Deadlines on Friday', sweets: 'Crème brûlée', tower: '東京タワー', none: '' })
    await store.saveMessages({ threadId: 'untitled', resourceId, messages: sampleMessages(1) })
    assert.deepEqual(await find(store, 'DEADLINE'), ['plans'])
    assert.deepEqual(await find(store, 'creme'), ['sweets'])
    assert.deepEqual(await find(store, '東京'), ['tower'])
    assert.deepEqual((await find(store, 'friday brulee')).toSorted(), ['plans', 'sweets'])
    assert.deepEqual(await find(store, 'umbrella'), [])
  },

  'finds threads by words in their messages, with the best matching message': whereSearched(
    async ({ store }) => {
      await say(store, 'mills', { a: 'river', b: 'water mill', c: 'mill mill wheel' })
      await say(store, 'rivers', { a: 'river stone' })
      await name(store, { mills: 'Old things' })
      const hits = await store.searchThreads({ resourceId, query: 'mill' })
      assert.deepEqual(
        hits.map(({ thread, messageId }) => [thread.id, messageId]),
        [['mills', 'c']],
      )
      const [best] = await store.searchMessages({ resourceId, query: 'mill' })
      assert.equal(hits[0]?.score.toFixed(4), best?.score.toFixed(4))
      assert.deepEqual((await find(store, 'river')).toSorted(), ['mills', 'rivers'])
    },
  ),

  'finds threads of one resource by words that nearly all of its messages have': whereSearched(
    async ({ store }) => {
      for (const threadId of ['one', 'two']) {
        const texts = Array.from({ length: 30 }, (_, index) => [`m${index}`, 'river water'])
        await say(store, threadId, Object.fromEntries(texts))
      }
      assert.deepEqual((await find(store, 'water')).toSorted(), ['one', 'two'])
      const [hit] = await store.searchThreads({ resourceId, query: 'water', limit: 1 })
      // The newest of equal messages.
      assert.equal(hit?.messageId, 'm29')
    },
  ),

  'returns complete threads, those with more words of the query in their title first': async ({ store }) => {
    const whole = { title: 'Mill', metadata: { color: 'red' }, state: { a: 1 } }
    await name(store, { both: 'River mill', other: 'A wheel', again: 'The old mill' })
    await store.saveThread({ threadId: 'one', resourceId, ...whole })
    assert.deepEqual(await find(store, 'river mill'), ['both', 'one', 'again'])
    const hits = await store.searchThreads({ resourceId, query: 'river mill' })
    for (const { thread } of hits) {
      assert.deepEqual(thread, await store.getThread({ threadId: thread.id, resourceId }))
    }
    assert.deepEqual(
      hits.map(({ score }) => score),
      [10, 5, 5],
    )
    assert.equal(
      hits.some((hit) => 'messageId' in hit),
      false,
    )
    // Of equal threads, the last updated first.
    await name(store, { again: 'The old mill' })
    assert.deepEqual(await find(store, 'river mill'), ['both', 'again', 'one'])
  },

  'returns all threads without a query, last updated first, and twenty without a limit': async ({
    store,
  }) => {
    const ids = Array.from({ length: 25 }, (_, index) => `thread-${index}`)
    for (const threadId of ids) await store.saveThread({ threadId, resourceId })
    assert.deepEqual(await find(store), ids.toReversed().slice(0, 20))
    assert.deepEqual(await find(store, undefined, { limit: 2 }), ['thread-24', 'thread-23'])
    assert.deepEqual(await store.searchThreads({ resourceId: 'nobody' }), [])
  },

  'filters threads by exact values of metadata, including their type': async ({ store }) => {
    const values = { number: 1, text: '1', yes: true, none: null, letter: 'é' }
    for (const [threadId, x] of Object.entries(values)) {
      await store.saveThread({ threadId, resourceId, title: 'mill', metadata: { x, y: { z: x } } })
    }
    await store.saveThread({ threadId: 'empty', resourceId, title: 'mill' })
    for (const [threadId, x] of Object.entries(values)) {
      assert.deepEqual(await find(store, undefined, { metadata: { x } }), [threadId])
      assert.deepEqual(await find(store, 'mill', { metadata: { x } }), [threadId])
    }
    assert.deepEqual(await find(store, 'river', { metadata: { x: 1 } }), [])
    assert.deepEqual(await find(store, undefined, { metadata: { x: 1, w: 1 } }), [])
    assert.deepEqual(await find(store, undefined, { metadata: { z: 1 } }), [])
  },

  'finds threads by their current words only': async ({ store }) => {
    await name(store, { thread: 'Old mill', gone: 'Old mill' })
    await say(store, 'thread', { a: 'umbrella', b: 'wheel' })
    await store.deleteThread({ threadId: 'gone', resourceId })
    await store.saveThread({ threadId: 'thread', resourceId, title: 'New river' })
    await store.deleteMessages({ threadId: 'thread', resourceId, messageIds: ['a'] })
    await say(store, 'thread', { b: 'stone' })
    for (const query of ['mill', 'umbrella', 'wheel']) assert.deepEqual(await find(store, query), [], query)
    assert.deepEqual(await find(store, 'river'), ['thread'])
    if (store.capabilities.search) assert.deepEqual(await find(store, 'stone'), ['thread'])
    await store.saveThread({ threadId: 'thread', resourceId, title: null })
    assert.deepEqual(await find(store, 'river'), [])
    await store.deleteResource({ resourceId })
    assert.deepEqual(await find(store), [])
  },

  'treats no part of a query for threads as syntax': async ({ store }) => {
    await name(store, { thread: 'A mill OR river', other: 'hat' })
    for (const query of [
      'mill AND NOT river',
      '"mill',
      'mill*',
      "mill'; --",
      'title:mill',
      'mill) OR (hat',
    ]) {
      assert.ok((await find(store, query)).includes('thread'), query)
    }
    for (const query of ['', ' ', '"', '%', '_', '*', '\0', '…']) {
      assert.deepEqual(await find(store, query), [], JSON.stringify(query))
    }
  },

  'refuses an invalid search for threads': async ({ store }) => {
    const refused = (options: unknown) =>
      assertRefused('STORAGE_INPUT_INVALID', () => store.searchThreads(options as SearchThreadsOptions))
    await refused({ query: 1 })
    await refused({ query: 'mill', limit: 0 })
    await refused({ limit: 1.5 })
    await refused({ metadata: { x: { y: 1 } } })
    await refused({ metadata: { x: Number.NaN } })
    await refused({ resourceId: '' })
  },
}
