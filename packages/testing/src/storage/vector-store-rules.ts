import type { VectorStore } from '@millrace/core'
import { assert, assertRefused } from './assert.ts'

/** A required behavior of every vector store. Rejects if the store violates it. */
export type VectorStoreRule = (store: VectorStore) => Promise<void>

const key = { threadId: 'thread', resourceId: 'ada' }
const model = 'example-embedding'

async function nearest(
  store: VectorStore,
  query: Partial<Parameters<VectorStore['searchVectors']>[0]> = {},
): Promise<string[]> {
  const found = await store.searchVectors({ resourceId: 'ada', model, vector: [1, 0], limit: 100, ...query })
  return found.map(({ threadId, messageId }) => `${threadId} ${messageId}`)
}

export const VECTOR_STORE_RULES: Readonly<Record<string, VectorStoreRule>> = {
  'finds vectors by cosine similarity, best first': async (store) => {
    assert.deepEqual(await nearest(store), [])
    const vectors = [
      { messageId: 'across', vector: [0, 3] },
      { messageId: 'same', vector: [7, 0] },
      { messageId: 'against', vector: [-2, 0] },
      { messageId: 'near', vector: Float32Array.from([4, 3]) },
    ]
    await store.saveVectors({ ...key, model, vectors })
    const found = await store.searchVectors({ resourceId: 'ada', model, vector: [2, 0] })
    assert.deepEqual(
      found.map(({ threadId, messageId, score }) => [threadId, messageId, Math.round(score * 1e5) / 1e5]),
      [
        ['thread', 'same', 1],
        ['thread', 'near', 0.8],
        ['thread', 'across', 0],
        ['thread', 'against', -1],
      ],
    )
  },

  'returns at most the limit, and nothing below the minimum score': async (store) => {
    const vectors = Array.from({ length: 30 }, (_, index) => ({ messageId: `m${index}`, vector: [1, index] }))
    await store.saveVectors({ ...key, model, vectors })
    assert.deepEqual(await nearest(store, { limit: 2 }), ['thread m0', 'thread m1'])
    assert.deepEqual(await nearest(store, { minScore: 0.7 }), ['thread m0', 'thread m1'])
    assert.equal((await nearest(store, { limit: undefined })).length, 10)
  },

  'keeps resources, threads and models apart, for any names': async (store) => {
    const names = ['a', 'A', ' a', "a'b", 'a"b', 'ä', '東京', '%', '_']
    const vectors = [{ messageId: 'm', vector: [1, 0] }]
    for (const name of names) {
      await store.saveVectors({ threadId: name, resourceId: 'ada', model, vectors })
      await store.saveVectors({ threadId: 'own', resourceId: name, model, vectors })
      await store.saveVectors({
        threadId: 'models',
        resourceId: 'bob',
        model: name,
        vectors: [{ messageId: name, vector: [1, 0, 0] }],
      })
    }
    await store.saveVectors({ threadId: 'nobody', model, vectors })
    assert.deepEqual((await nearest(store)).toSorted(), names.map((name) => `${name} m`).toSorted())
    for (const name of names) {
      assert.deepEqual(await nearest(store, { threadId: name }), [`${name} m`])
      assert.deepEqual(await nearest(store, { resourceId: name }), ['own m'])
      assert.deepEqual(await nearest(store, { resourceId: 'bob', model: name, vector: [1, 0, 0] }), [
        `models ${name}`,
      ])
    }
    assert.deepEqual(await nearest(store, { resourceId: undefined }), ['nobody m'])
  },

  'replaces the vector of a message, for any model': async (store) => {
    await store.saveVectors({ ...key, model, vectors: [{ messageId: 'm', vector: [0, 1] }] })
    await store.saveVectors({ ...key, model, vectors: [{ messageId: 'm', vector: [1, 0] }] })
    const [found] = await store.searchVectors({ resourceId: 'ada', model, vector: [1, 0] })
    assert.equal(Math.round((found?.score ?? 0) * 1e5), 1e5)
    await store.saveVectors({ ...key, model: 'other', vectors: [{ messageId: 'm', vector: [1, 0, 0] }] })
    assert.deepEqual(await nearest(store), [])
    assert.deepEqual(await nearest(store, { model: 'other', vector: [1, 0, 0] }), ['thread m'])
  },

  'deletes vectors of messages, of a thread and of a resource': async (store) => {
    const vectors = ['a', 'b', 'c'].map((messageId) => ({ messageId, vector: [1, 0] }))
    for (const resourceId of ['ada', 'bob']) {
      for (const threadId of ['one', 'two']) await store.saveVectors({ threadId, resourceId, model, vectors })
    }
    await store.deleteVectors({ resourceId: 'ada', threadId: 'one', messageIds: ['a', 'c', 'nothing'] })
    await store.deleteVectors({ resourceId: 'ada', threadId: 'one', messageIds: [] })
    assert.deepEqual((await nearest(store)).toSorted(), ['one b', 'two a', 'two b', 'two c'])
    await store.deleteVectors({ resourceId: 'ada', threadId: 'two' })
    assert.deepEqual(await nearest(store), ['one b'])
    await store.deleteVectors({ resourceId: 'ada', allThreads: true })
    assert.deepEqual(await nearest(store), [])
    assert.equal((await nearest(store, { resourceId: 'bob' })).length, 6)
  },

  'deletes the vectors of all threads only if they are asked for': async (store) => {
    await store.saveVectors({ ...key, model, vectors: [{ messageId: 'm', vector: [1, 0] }] })
    const threadId = undefined as unknown as string
    const unclear = [
      { resourceId: 'ada', threadId },
      { resourceId: 'ada', threadId, messageIds: ['m'] },
      { resourceId: 'ada', threadId: 'thread', allThreads: true as const },
    ]
    for (const options of unclear)
      await assertRefused('STORAGE_INPUT_INVALID', () => store.deleteVectors(options))
    assert.deepEqual(await nearest(store), ['thread m'])
  },

  'copies vectors to another thread of the resource': async (store) => {
    const vectors = ['a', 'b'].map((messageId, index) => ({ messageId, vector: [1 - index, index] }))
    await store.saveVectors({ ...key, model, vectors })
    await store.saveVectors({
      ...key,
      resourceId: 'bob',
      model,
      vectors: [{ messageId: 'c', vector: [1, 0] }],
    })
    const messages = ['b', 'a', 'c', 'nothing'].map((originalId) => ({
      messageId: `copy-${originalId}`,
      originalId,
    }))
    const copy = { resourceId: 'ada', threadId: 'copy', from: { threadId: 'thread', messages } }
    await store.copyVectors(copy)
    await store.copyVectors(copy)
    await store.copyVectors({ ...copy, from: { threadId: 'thread', messages: [] } })
    assert.deepEqual(await nearest(store, { threadId: 'copy' }), ['copy copy-a', 'copy copy-b'])
    assert.deepEqual(await nearest(store, { threadId: 'thread' }), ['thread a', 'thread b'])
    assert.deepEqual(await nearest(store, { resourceId: 'bob' }), ['thread c'])
  },

  'refuses invalid vectors': async (store) => {
    for (const vector of [[], [0, 0], [1, Number.NaN], [Number.POSITIVE_INFINITY]]) {
      await assertRefused('STORAGE_INPUT_INVALID', () =>
        store.saveVectors({ ...key, model, vectors: [{ messageId: 'm', vector }] }),
      )
    }
    const mixed = [
      { messageId: 'a', vector: [1, 0] },
      { messageId: 'b', vector: [1, 0, 0] },
    ]
    await assertRefused('STORAGE_INPUT_INVALID', () => store.saveVectors({ ...key, model, vectors: mixed }))
    assert.deepEqual(await nearest(store), [])
  },
}
