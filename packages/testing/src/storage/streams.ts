import { assert, assertRefused } from './assert.ts'
import { eventually } from './eventually.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { runId: 'run', resourceId: 'ada' }

export const streams: StorageRules = {
  'returns the chunks of a stream, in order, from any offset': async ({ store }) => {
    assert.equal(await store.readStream(key), undefined)
    await store.appendToStream({ ...key, offset: 0, chunks: ['{"a":1}', '', '東京'] })
    await store.appendToStream({ ...key, offset: 3, chunks: [] })
    await store.appendToStream({ ...key, offset: 3, chunks: ['b', 'c'] })
    assert.deepEqual(await store.readStream(key), {
      chunks: ['{"a":1}', '', '東京', 'b', 'c'],
      length: 5,
      ended: false,
    })
    assert.deepEqual(await store.readStream({ ...key, from: 2, limit: 2 }), {
      chunks: ['東京', 'b'],
      length: 5,
      ended: false,
    })
    await store.appendToStream({ ...key, offset: 5, chunks: ['d'], end: true })
    assert.deepEqual(await store.readStream({ ...key, from: 5 }), { chunks: ['d'], length: 6, ended: true })
    assert.deepEqual(await store.readStream({ ...key, from: 6 }), { chunks: [], length: 6, ended: true })
  },

  'appends chunks at the current length only, and none after the end': async ({ store }) => {
    await assertRefused('STORAGE_CONFLICT', () => store.appendToStream({ ...key, offset: 1, chunks: ['x'] }))
    assert.equal(await store.readStream(key), undefined)
    await store.appendToStream({ ...key, offset: 0, chunks: ['a', 'b'] })
    for (const offset of [0, 1, 3]) {
      await assertRefused('STORAGE_CONFLICT', () => store.appendToStream({ ...key, offset, chunks: ['x'] }))
    }
    await store.appendToStream({ ...key, offset: 2, chunks: [], end: true })
    await assertRefused('STORAGE_CONFLICT', () => store.appendToStream({ ...key, offset: 2, chunks: ['x'] }))
    assert.deepEqual(await store.readStream(key), { chunks: ['a', 'b'], length: 2, ended: true })
  },

  'accepts one of many concurrent appends at the same offset': async ({ store }) => {
    for (let offset = 0; offset < 5; offset++) {
      const added = await Promise.allSettled(
        Array.from({ length: 10 }, (_, index) =>
          store.appendToStream({ ...key, offset, chunks: [`${index}`] }),
        ),
      )
      assert.equal(added.filter(({ status }) => status === 'fulfilled').length, 1)
    }
    assert.equal((await store.readStream(key))?.chunks.length, 5)
  },

  'deletes a stream when it expires, so that a new one can start': async ({ store }) => {
    await store.appendToStream({ ...key, offset: 0, chunks: ['old'], expiresIn: 1 })
    await eventually(async () => (await store.readStream(key)) === undefined)
    assert.equal(await store.deleteStream(key), false)
    await store.appendToStream({ ...key, offset: 0, chunks: ['older'], expiresIn: 1 })
    await eventually(async () => (await store.readStream(key)) === undefined)
    await store.appendToStream({ ...key, offset: 0, chunks: ['new'] })
    assert.deepEqual(await store.readStream(key), { chunks: ['new'], length: 1, ended: false })
  },

  'deletes a stream, also with its thread or resource': async ({ store }) => {
    const add = (runId: string, resourceId: string, threadId?: string) =>
      store.appendToStream({ runId, resourceId, threadId, offset: 0, chunks: [runId] })
    for (const resourceId of ['ada', 'bob']) {
      await add('one', resourceId, 'thread')
      await add('two', resourceId)
    }
    assert.equal(await store.deleteStream({ runId: 'two', resourceId: 'bob' }), true)
    assert.equal(await store.deleteStream({ runId: 'two', resourceId: 'bob' }), false)
    assert.deepEqual((await store.readStream({ runId: 'two', resourceId: 'ada' }))?.chunks, ['two'])
    await store.deleteThread({ threadId: 'thread', resourceId: 'ada' })
    assert.equal(await store.readStream({ runId: 'one', resourceId: 'ada' }), undefined)
    assert.deepEqual((await store.readStream({ runId: 'two', resourceId: 'ada' }))?.chunks, ['two'])
    await store.deleteResource({ resourceId: 'ada' })
    assert.equal(await store.readStream({ runId: 'two', resourceId: 'ada' }), undefined)
    // The new stream has no chunks of the old one.
    await add('two', 'ada')
    assert.deepEqual((await store.readStream({ runId: 'two', resourceId: 'ada' }))?.chunks, ['two'])
    assert.deepEqual((await store.readStream({ runId: 'one', resourceId: 'bob' }))?.chunks, ['one'])
  },

  'returns a stream to its resource only': async ({ store }) => {
    await store.appendToStream({ ...key, offset: 0, chunks: ['ada'] })
    for (const other of [{ resourceId: 'bob' }, { resourceId: 'Ada' }, {}]) {
      assert.equal(await store.readStream({ runId: 'run', ...other }), undefined)
      assert.equal(await store.deleteStream({ runId: 'run', ...other }), false)
    }
    await store.appendToStream({ runId: 'run', offset: 0, chunks: ['nobody'] })
    assert.deepEqual((await store.readStream(key))?.chunks, ['ada'])
  },

  'stores streams of up to sixteen megabytes, measured in bytes': async ({ store }) => {
    const half = 'é'.repeat(4 * 1024 * 1024)
    await store.appendToStream({ ...key, offset: 0, chunks: [half] })
    await store.appendToStream({ ...key, offset: 1, chunks: [half] })
    await assertRefused('STORAGE_STREAM_TOO_LARGE', () =>
      store.appendToStream({ ...key, offset: 2, chunks: ['x'] }),
    )
    await assertRefused('STORAGE_INPUT_INVALID', () =>
      store.appendToStream({ ...key, offset: 2, chunks: ['\0'] }),
    )
    assert.equal((await store.readStream({ ...key, from: 1 }))?.length, 2)
    await store.appendToStream({ ...key, offset: 2, chunks: [], end: true })
  },
}
