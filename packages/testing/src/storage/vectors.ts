import type { SearchVectorsOptions, Store } from '@millrace/core'
import { allPages } from './all-pages.ts'
import { assert, assertRefused } from './assert.ts'
import { idsOf, sampleMessage, sampleMessages } from './sample-message.ts'
import { type StorageRules, whereVectors } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }
const model = 'example-embedding'

async function save(store: Store, vectors: Record<string, number[]>): Promise<void> {
  await store.saveMessages({ ...key, messages: Object.keys(vectors).map((id) => sampleMessage(id)) })
  await store.saveVectors({
    ...key,
    model,
    vectors: Object.entries(vectors).map(([messageId, vector]) => ({ messageId, vector })),
  })
}

async function find(
  store: Store,
  vector: number[],
  options: Partial<SearchVectorsOptions> = {},
): Promise<string[]> {
  const hits = await store.searchVectors({ resourceId: 'ada', model, vector, ...options })
  return hits.map(({ message }) => message.id)
}

export const vectors: StorageRules = {
  'finds messages by cosine similarity, most similar first': whereVectors(async ({ store }) => {
    await save(store, { east: [10, 0], north: [0, 0.1], west: [-1, 0], northeast: [3, 3] })
    const hits = await store.searchVectors({ resourceId: 'ada', model, vector: [1, 0.1] })
    assert.deepEqual(
      hits.map(({ message }) => message.id),
      ['east', 'northeast', 'north', 'west'],
    )
    const wanted = [
      [1, 0],
      [Math.SQRT1_2, Math.SQRT1_2],
      [0, 1],
      [-1, 0],
    ].map(([x = 0, y = 0]) => (x + 0.1 * y) / Math.hypot(1, 0.1))
    for (const [index, { score }] of hits.entries()) assert.ok(Math.abs(score - (wanted[index] ?? 0)) < 1e-5)
    const [{ score: _, ...stored } = { score: 0 }] = hits
    assert.deepEqual(stored, (await store.listMessages(key)).items[0])
  }),

  'accepts vectors of numbers and of 32-bit floats, large and small': whereVectors(async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(3) })
    const [a, b, c] = ['message-0', 'message-1', 'message-2'] as const
    const whole = Float32Array.from([9, 0, 1, 0])
    const vectors = [
      { messageId: a, vector: whole.subarray(1, 3) },
      { messageId: b, vector: [1e30, 1e30] },
      { messageId: c, vector: [1e-30, 0] },
    ]
    await store.saveVectors({ ...key, model, vectors })
    assert.deepEqual(await find(store, [0, 1e-20]), [a, b, c])
    assert.deepEqual(await find(store, [1e20, 0]), [c, b, a])
  }),

  'returns the newest of equally similar messages first, and ten without a limit': whereVectors(
    async ({ store }) => {
      const ids = sampleMessages(12).map(({ id }) => id)
      await save(store, Object.fromEntries(ids.map((id) => [id, [1, 2]])))
      assert.deepEqual(await find(store, [1, 2]), ids.toReversed().slice(0, 10))
      assert.deepEqual(await find(store, [1, 2], { limit: 2 }), ids.toReversed().slice(0, 2))
      assert.equal((await find(store, [1, 2], { limit: 20 })).length, 12)
    },
  ),

  'leaves out messages below the minimum score, or excluded by the filter': whereVectors(
    async ({ store }) => {
      await save(store, { same: [1, 0], near: [1, 1], far: [-1, 0] })
      assert.deepEqual(await find(store, [1, 0], { minScore: 0.999 }), ['same'])
      assert.deepEqual(await find(store, [1, 0], { minScore: 0 }), ['same', 'near'])
      const { POSITIVE_INFINITY: most, NEGATIVE_INFINITY: least } = Number
      assert.deepEqual(await find(store, [1, 0], { minScore: most }), [])
      assert.deepEqual(await find(store, [1, 0], { minScore: least }), ['same', 'near', 'far'])
      assert.deepEqual(await find(store, [1, 0], { threadId: 'other' }), [])
      assert.deepEqual(await find(store, [1, 0], { role: 'assistant' }), [])
      assert.deepEqual(await find(store, [1, 0], { createdBefore: new Date(0) }), [])
      await store.saveMessages({
        ...key,
        messages: [
          sampleMessage('far', 'x', {
            content: { parts: [{ type: 'text', text: 'Text of far' }], metadata: { tag: 'x' } },
          }),
        ],
      })
      assert.deepEqual(await find(store, [1, 0], { metadata: { tag: 'x' }, limit: 1 }), ['far'])
    },
  ),

  'compares no vectors of different models': whereVectors(async ({ store }) => {
    await save(store, { a: [1, 0] })
    assert.deepEqual(await find(store, [1, 0], { model: 'other' }), [])
    // Another model may have other dimensions. Its vector replaces the first one.
    await store.saveVectors({ ...key, model: 'other', vectors: [{ messageId: 'a', vector: [1, 0, 0] }] })
    assert.deepEqual(await find(store, [1, 0, 0], { model: 'other' }), ['a'])
    assert.deepEqual(await find(store, [1, 0]), [])
  }),

  'refuses invalid vectors': whereVectors(async ({ store }) => {
    await save(store, { a: [1, 0] })
    const wrong = [[], [0, 0], [1], [1, 0, 0], [1, Number.NaN], [Number.POSITIVE_INFINITY, 0]]
    for (const vector of wrong) {
      await assertRefused('STORAGE_INPUT_INVALID', () => find(store, vector))
      await assertRefused('STORAGE_INPUT_INVALID', () =>
        store.saveVectors({ ...key, model, vectors: [{ messageId: 'a', vector }] }),
      )
    }
    const mixed = [
      { messageId: 'a', vector: [0, 1] },
      { messageId: 'a', vector: [0, 1, 2] },
    ]
    await assertRefused('STORAGE_INPUT_INVALID', () => store.saveVectors({ ...key, model, vectors: mixed }))
    await assertRefused('STORAGE_INPUT_INVALID', () => find(store, [1, 0], { minScore: Number.NaN }))
    await assertRefused('STORAGE_INPUT_INVALID', () => find(store, [1, 0], { model: '' }))
    const [hit] = await store.searchVectors({ resourceId: 'ada', model, vector: [1, 0] })
    assert.ok(Math.abs((hit?.score ?? 0) - 1) < 1e-5)
  }),

  'allows other dimensions of a model for each resource': whereVectors(async ({ store }) => {
    await save(store, { a: [1, 0] })
    const other = { threadId: 'thread', resourceId: 'bob' }
    await store.saveMessages({ ...other, messages: [sampleMessage('a')] })
    await store.saveVectors({ ...other, model, vectors: [{ messageId: 'a', vector: [1, 0, 0] }] })
    const hits = await store.searchVectors({ resourceId: 'bob', model, vector: [1, 0, 0] })
    assert.equal(hits.length, 1)
    assert.deepEqual(await find(store, [1, 0]), ['a'])
  }),

  'leaves out vectors of messages that were deleted, or have no text': whereVectors(async ({ store }) => {
    await store.saveMessages({
      ...key,
      messages: [sampleMessage('a'), sampleMessage('b', '', { content: { parts: [] } })],
    })
    const vectors = ['a', 'b', 'nonesuch'].map((messageId) => ({ messageId, vector: [1, 0] }))
    await store.saveVectors({ ...key, model, vectors })
    await store.saveVectors({ ...key, threadId: 'nonesuch', model, vectors })
    const others = [{ messageId: 'a', vector: [1, 0, 0] }]
    await store.saveVectors({ ...key, threadId: 'nonesuch', model, vectors: others })
    await store.saveVectors({ ...key, model, vectors: [] })
    assert.deepEqual(await find(store, [1, 0]), ['a'])
    assert.equal(await store.getThread({ ...key, threadId: 'nonesuch' }), undefined)
    await store.saveMessages({ ...key, messages: [sampleMessage('nonesuch')] })
    assert.deepEqual(await find(store, [1, 0]), ['a'])
  }),

  'deletes the vector of a message only if its text changes': whereVectors(async ({ store }) => {
    await save(store, { a: [1, 0], b: [0, 1] })
    await store.saveMessages({
      ...key,
      messages: [sampleMessage('a', 'Wholly different words'), sampleMessage('b')],
    })
    assert.deepEqual(await find(store, [1, 0]), ['b'])
    const { items } = await store.listMessagesWithoutVector({ ...key, model })
    assert.deepEqual(idsOf(items), ['a'])
  }),

  'copies vectors with their messages': whereVectors(async ({ store }) => {
    await save(store, { a: [1, 0], b: [0, 1], edited: [1, 1] })
    const other = { threadId: 'thread', resourceId: 'bob' }
    await store.saveMessages({ ...other, messages: [sampleMessage('theirs')] })
    await store.saveVectors({ ...other, model, vectors: [{ messageId: 'theirs', vector: [1, 0] }] })
    const copy = { ...key, threadId: 'copy' }
    const messages = [
      sampleMessage('copy-a', 'Text of a'),
      sampleMessage('copy-b', 'Text of b'),
      sampleMessage('copy-edited', 'Other words'),
      sampleMessage('copy-theirs', 'Text of theirs'),
    ]
    const originals = ['b', 'a', 'edited', 'theirs', 'nonesuch'].map((originalId) => ({
      messageId: `copy-${originalId}`,
      originalId,
    }))
    await store.saveMessages({ ...copy, messages, vectorsFrom: { threadId: 'thread', messages: originals } })
    assert.deepEqual(await find(store, [1, 0], { threadId: 'copy' }), ['copy-a', 'copy-b'])
    assert.deepEqual(await find(store, [0, 1], { threadId: 'thread', limit: 1 }), ['b'])
    const { items } = await store.listMessagesWithoutVector({ ...copy, model })
    assert.deepEqual(idsOf(items), ['copy-edited', 'copy-theirs'])
    await store.deleteThread(key)
    assert.deepEqual(await find(store, [1, 0]), ['copy-a', 'copy-b'])
    const from = { threadId: 'nonesuch', messages: [{ messageId: 'copy-a', originalId: 'a' }] }
    await store.saveMessages({ ...copy, messages: [], vectorsFrom: from })
    assert.deepEqual(await find(store, [1, 0], { limit: 1 }), ['copy-a'])
  }),

  'lists messages that have text and no vector of a model, page by page': whereVectors(async ({ store }) => {
    const resourceId = 'ada'
    for (const threadId of ['one', 'two']) {
      await store.saveMessages({
        threadId,
        resourceId,
        messages: [
          ...sampleMessages(4, threadId),
          sampleMessage(`${threadId}-empty`, '', { content: { parts: [] } }),
          sampleMessage(`${threadId}-system`, 'Rules', { role: 'system' }),
        ],
      })
    }
    await store.saveVectors({
      threadId: 'one',
      resourceId,
      model,
      vectors: [{ messageId: 'one-1', vector: [1] }],
    })
    const list = async (options: { threadId?: string; model: string }): Promise<string[]> =>
      idsOf(
        await allPages((cursor) =>
          store.listMessagesWithoutVector({ resourceId, ...options, limit: 2, cursor }),
        ),
      )
    const all = [...sampleMessages(4, 'one'), ...sampleMessages(4, 'two')].map(({ id }) => id)
    assert.deepEqual(
      (await list({ model })).toSorted(),
      all.filter((id) => id !== 'one-1'),
    )
    assert.deepEqual((await list({ model: 'other' })).toSorted(), all)
    assert.deepEqual((await list({ model, threadId: 'two' })).toSorted(), all.slice(4))
    // A message that gets its vector between two pages does not shift the others.
    const seen = await allPages(async (cursor) => {
      const page = await store.listMessagesWithoutVector({ resourceId, model, limit: 2, cursor })
      for (const { message } of page.items) {
        const vectors = [{ messageId: message.id, vector: [1] }]
        await store.saveVectors({ threadId: message.threadId ?? '', resourceId, model, vectors })
      }
      return page
    })
    assert.equal(new Set(idsOf(seen)).size, 7)
    assert.deepEqual(await list({ model }), [])
  }),
}
