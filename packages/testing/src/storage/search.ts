import type { MessageHit, SearchMessagesOptions, Store } from '@millrace/core'
import { assert, assertRefused } from './assert.ts'
import { sampleMessage } from './sample-message.ts'
import { type StorageRules, whereSearched } from './storage-rule.ts'

const resourceId = 'ada'

async function find(
  store: Store,
  query: string,
  options: Partial<SearchMessagesOptions> = {},
): Promise<string[]> {
  return (await store.searchMessages({ resourceId, query, ...options })).map(({ message }) => message.id)
}

async function save(store: Store, texts: Record<string, string>, threadId = 'thread'): Promise<void> {
  const messages = Object.entries(texts).map(([id, text]) => sampleMessage(id, text))
  await store.saveMessages({ threadId, resourceId, messages })
}

export const search: StorageRules = {
  'finds messages by words, regardless of case, accents and endings': whereSearched(async ({ store }) => {
    await save(store, { a: 'The deadlines are on Friday', b: 'Crème brûlée', c: 'Nothing of the kind' })
    assert.deepEqual(await find(store, 'DEADLINE'), ['a'])
    assert.deepEqual(await find(store, 'creme'), ['b'])
    assert.deepEqual((await find(store, 'friday brulee')).toSorted(), ['a', 'b'])
    assert.deepEqual(await find(store, 'umbrella'), [])
  }),

  'finds words of scripts without spaces': whereSearched(async ({ store }) => {
    await save(store, { a: '東京タワーへ行きました', b: '大阪城' })
    assert.deepEqual(await find(store, '東京'), ['a'])
    assert.deepEqual(await find(store, '大阪'), ['b'])
  }),

  'ranks rare and repeated words, and short messages, first': whereSearched(async ({ store }) => {
    const filler = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`f${index}`, 'river water']))
    await save(store, {
      ...filler,
      once: 'water mill',
      often: 'mill mill wheel',
      long: `mill ${'stone '.repeat(60)}`,
    })
    const hits = await store.searchMessages({ resourceId, query: 'mill', limit: 5 })
    assert.deepEqual(
      hits.map(({ message }) => message.id),
      ['often', 'once', 'long'],
    )
    // A rare word counts more than a word that nearly all messages have.
    assert.deepEqual((await find(store, 'water wheel')).slice(0, 1), ['often'])
    assertDescending(hits)
  }),

  'scores by BM25 over the messages of the resource only': whereSearched(async ({ store }) => {
    await save(store, { a: 'mill mill river', b: 'river', c: 'hat coat', none: '…' })
    await save(store, { d: 'wheel stone' }, 'other')
    const scores = async (query: string): Promise<string[]> => {
      const hits = await store.searchMessages({ resourceId, threadId: 'thread', query })
      return hits.map(({ message, score }) => `${message.id} ${score.toFixed(4)}`).toSorted()
    }
    // Of four texts, two have "river" and one has "mill"; their average length is 2.
    const { k1, b } = { k1: 0.9, b: 0.4 }
    const share = (frequency: number, length: number): number =>
      (frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * length) / 2))
    const [river, mill] = [2, 1].map((found) => Math.log(1 + (4 - found + 0.5) / (found + 0.5)))
    const inBoth = (river ?? 0) * share(1, 3) + (mill ?? 0) * share(2, 3)
    const wanted = [`a ${inBoth.toFixed(4)}`, `b ${((river ?? 0) * share(1, 1)).toFixed(4)}`]
    assert.deepEqual(await scores('river mill umbrella'), wanted)
    const texts = Array.from({ length: 20 }, (_, index) => sampleMessage(`${index}`, 'river of a mill here'))
    await store.saveMessages({ threadId: 'thread', resourceId: 'bob', messages: texts })
    await store.saveMessages({ threadId: 'thread', messages: texts })
    assert.deepEqual(await scores('river mill umbrella'), wanted)
    await save(store, { x: 'river river stone', b: 'river umbrella mill' }, 'gone')
    await save(store, { b: 'mill wheel stone', c: '' })
    await save(store, { b: 'river', c: 'hat coat' })
    await store.deleteThread({ threadId: 'gone', resourceId })
    assert.deepEqual(await scores('river mill umbrella'), wanted)
  }),

  'returns the newest of equal messages first, and ten without a limit': whereSearched(async ({ store }) => {
    for (let index = 0; index < 12; index++)
      await save(store, { [`${index}`]: 'umbrella' }, `thread-${index % 3}`)
    const ids = Array.from({ length: 12 }, (_, index) => `${11 - index}`)
    assert.deepEqual(await find(store, 'umbrella'), ids.slice(0, 10))
    assert.deepEqual(await find(store, 'umbrella', { limit: 3 }), ids.slice(0, 3))
    assert.deepEqual(await find(store, 'umbrella', { limit: 50 }), ids)
  }),

  'returns hits in the format of listed messages, with a score': whereSearched(async ({ store }) => {
    await save(store, { a: 'umbrella', b: 'red umbrella' })
    const listed = (await store.listMessages({ threadId: 'thread', resourceId })).items
    const hits = await store.searchMessages({ resourceId, query: 'red' })
    const { score, ...stored } = hits[0] as MessageHit
    assert.deepEqual(stored, listed[1])
    assert.ok(Number.isFinite(score) && score > 0)
  }),

  'searches user and assistant messages only': whereSearched(async ({ store }) => {
    await store.saveMessages({
      threadId: 'thread',
      resourceId,
      messages: [
        sampleMessage('system', 'umbrella', { role: 'system' }),
        sampleMessage('assistant', 'umbrella', { role: 'assistant' }),
        sampleMessage('reasoning', '', {
          role: 'assistant',
          content: { parts: [{ type: 'reasoning', text: 'umbrella' }] },
        }),
        sampleMessage('metadata', 'other', {
          content: { parts: [{ type: 'text', text: 'x' }], metadata: { a: 'umbrella' } },
        }),
        sampleMessage('parts', '', {
          content: {
            parts: [
              { type: 'text', text: 'x' },
              { type: 'text', text: 'umbrella' },
            ],
          },
        }),
      ],
    })
    assert.deepEqual((await find(store, 'umbrella')).toSorted(), ['assistant', 'parts'])
  }),

  'searches only messages that match the filter': whereSearched(async ({ store }) => {
    const at = (day: number) => new Date(Date.UTC(2026, 0, day))
    const saveAt = (id: string, threadId: string, fields: Parameters<typeof sampleMessage>[2]) =>
      store.saveMessages({ threadId, resourceId, messages: [sampleMessage(id, 'umbrella', fields)] })
    await saveAt('a', 'one', { createdAt: at(1) })
    await saveAt('b', 'one', { createdAt: at(2), role: 'assistant' })
    await saveAt('c', 'two', { createdAt: at(3) })
    const found = async (filter: Partial<SearchMessagesOptions>): Promise<string> =>
      (await find(store, 'umbrella', filter)).toSorted().join('')
    assert.equal(await found({}), 'abc')
    assert.equal(await found({ threadId: 'one' }), 'ab')
    assert.equal(await found({ threadId: 'three' }), '')
    assert.equal(await found({ role: 'assistant' }), 'b')
    assert.equal(await found({ createdFrom: at(2) }), 'bc')
    assert.equal(await found({ createdBefore: at(2) }), 'a')
    assert.equal(await found({ createdFrom: at(2), createdBefore: at(3) }), 'b')
    assert.equal(await found({ createdFrom: at(1), role: 'user', threadId: 'two' }), 'c')
    // The filter is applied before the limit.
    assert.deepEqual(await find(store, 'umbrella', { threadId: 'one', role: 'user', limit: 1 }), ['a'])
  }),

  'filters by exact values of metadata, including their type': whereSearched(async ({ store }) => {
    const values: Record<string, unknown>[] = [
      { v: 'x' },
      { v: 1 },
      { v: '1' },
      { v: true },
      { v: null },
      {},
      { v: ['x'] },
      { v: { x: 1 } },
      { v: 0 },
      { v: false },
      { v: '' },
      { v: 1.5 },
      { v: 9_007_199_254_740_991 },
      { 'a.b': 1, a: { b: 2 } },
      { '': 'empty' },
      { $: 'dollar', '"': "quote'", '%': 'percent', '[0]': 'index', "'": 'apostrophe', '\\': 'backslash' },
      { v: "'; DROP TABLE messages; --" },
      { v: 'X' },
      { v: 'x ' },
      { v: 'é' },
      { v: 'e\u0301' },
    ]
    await store.saveMessages({
      threadId: 'thread',
      resourceId,
      messages: values.map((metadata, index) =>
        sampleMessage(`${index}`, '', { content: { parts: [{ type: 'text', text: 'umbrella' }], metadata } }),
      ),
    })
    await save(store, { none: 'umbrella' })
    const found = async (metadata: NonNullable<SearchMessagesOptions['metadata']>): Promise<string> =>
      (await find(store, 'umbrella', { metadata, limit: 50 })).join()
    const wanted: [NonNullable<SearchMessagesOptions['metadata']>, string][] = [
      [{ v: 'x' }, '0'],
      [{ v: 1 }, '1'],
      [{ v: '1' }, '2'],
      [{ v: true }, '3'],
      [{ v: null }, '4'],
      [{ v: 0 }, '8'],
      [{ v: false }, '9'],
      [{ v: '' }, '10'],
      [{ v: 1.5 }, '11'],
      [{ v: 9_007_199_254_740_991 }, '12'],
      [{ 'a.b': 1 }, '13'],
      [{ 'a.b': 2 }, ''],
      [{ '': 'empty' }, '14'],
      [{ $: 'dollar' }, '15'],
      [{ '"': "quote'" }, '15'],
      [{ '%': 'percent', '[0]': 'index', "'": 'apostrophe', '\\': 'backslash' }, '15'],
      [{ $: 'dollar', v: 'x' }, ''],
      [{ v: "'; DROP TABLE messages; --" }, '16'],
      [{ v: 'X' }, '17'],
      [{ v: 'x ' }, '18'],
      [{ v: 'é' }, '19'],
      [{ v: 'e\u0301' }, '20'],
      [{ w: 'x' }, ''],
      [{ length: 1 }, ''],
      [{ constructor: null } as never, ''],
      [{ v: '%' }, ''],
    ]
    for (const [metadata, ids] of wanted) assert.equal(await found(metadata), ids, JSON.stringify(metadata))
    assert.equal((await find(store, 'umbrella', { metadata: {}, limit: 50 })).length, values.length + 1)
  }),

  'treats no part of a query as syntax': whereSearched(async ({ store }) => {
    await save(store, { a: 'red umbrella', b: 'blue not near or and', c: 'hat' })
    const queries = [
      '',
      ' ',
      '"',
      "'",
      '*',
      '"red',
      'red"',
      "red' OR '1'='1",
      "'; DROP TABLE messages; --",
      'red*',
      'umb*',
      '^red',
      'NEAR(red umbrella)',
      'red NEAR/1 umbrella',
      'red AND NOT umbrella',
      'NOT red',
      'OR',
      'terms:red',
      '{terms}:red',
      '(red',
      'red)',
      '-red',
      '+red',
      'red & umbrella',
      'red | blue',
      '!red',
      'red <-> umbrella',
      'red:*',
      '\\',
      '%',
      '_',
      '$1',
      '?',
      ':name',
      '@x',
      '\0',
      'red\0umbrella',
      '\ud800',
      '\udfff red',
      '😀',
      '\u202e',
      '{"a":1}',
      '[]',
      'a'.repeat(20_000),
      'red '.repeat(5_000),
      '("'.repeat(10_000),
    ]
    for (const query of queries) {
      const found = await find(store, query)
      assert.ok(found.length <= 3)
      assert.ok(!found.includes('c'), 'a query found what has none of its words')
      if (/\bred\b/.test(query)) assert.ok(found.includes('a'), `not found: ${query.slice(0, 40)}`)
    }
    assert.deepEqual(await find(store, 'umb*'), [])
    assert.deepEqual(await find(store, 'hat'), ['c'])
  }),

  'finds an edited message by its new words only': whereSearched(async ({ store }) => {
    await save(store, { a: 'red umbrella', b: 'hat' })
    await save(store, { a: 'blue umbrella' })
    assert.deepEqual(await find(store, 'red'), [])
    assert.deepEqual(await find(store, 'blue'), ['a'])
    assert.deepEqual(await find(store, 'umbrella'), ['a'])
    await store.saveMessages({
      threadId: 'thread',
      resourceId,
      messages: [sampleMessage('a', '', { content: { parts: [] } })],
    })
    assert.deepEqual(await find(store, 'blue umbrella'), [])
    await save(store, { a: 'green' })
    assert.deepEqual(await find(store, 'green'), ['a'])
  }),

  'refuses invalid filters and limits': whereSearched(async ({ store }) => {
    await save(store, { a: 'umbrella' })
    const wrong: Partial<SearchMessagesOptions>[] = [
      { limit: 0 },
      { limit: 1.5 },
      { role: 'robot' as 'user' },
      { createdFrom: new Date(Number.NaN) },
      { createdBefore: 'today' as unknown as Date },
      { metadata: { a: Number.NaN } },
      { metadata: { a: {} as string } },
      { metadata: { a: 'x\0' } },
      { metadata: { 'a\0': 'x' } },
      { query: 7 as unknown as string },
    ]
    for (const options of wrong)
      await assertRefused('STORAGE_INPUT_INVALID', () => find(store, 'umbrella', options))
  }),
}

function assertDescending(hits: readonly MessageHit[]): void {
  for (const [index, { score }] of hits.entries())
    assert.ok(index === 0 || score <= (hits[index - 1]?.score ?? 0))
}
