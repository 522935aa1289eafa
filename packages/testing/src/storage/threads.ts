import { allPages } from './all-pages.ts'
import { assert, assertRefused } from './assert.ts'
import { sampleMessages } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }

export const threads: StorageRules = {
  'returns a thread as it was saved': async ({ store }) => {
    const before = Date.now()
    const fields = { title: 'Plans', metadata: { color: 'red' }, state: { memory: { facts: ['a'] } } }
    const saved = await store.saveThread({ ...key, ...fields })
    const { createdAt, updatedAt, ...rest } = saved
    assert.deepEqual(rest, { id: 'thread', resourceId: 'ada', ...fields, version: 1, messageCount: 0 })
    // The database's clock may differ from this one, but not by days.
    for (const time of [createdAt, updatedAt]) assert.ok(Math.abs(time.getTime() - before) < 86_400_000)
    assert.deepEqual(await store.getThread(key), saved)
  },

  'returns nothing if nothing was saved': async ({ store }) => {
    assert.equal(await store.getThread(key), undefined)
    assert.deepEqual(await store.listThreads({ resourceId: 'ada' }), { items: [] })
    assert.equal(await store.deleteThread(key), false)
  },

  'keeps the fields of a thread that a change does not set': async ({ store }) => {
    await store.saveThread({ ...key, title: 'Plans', metadata: { color: 'red' }, state: { a: 1 } })
    await store.saveThread({ ...key, metadata: { size: 2 } })
    await store.saveThread({ ...key, state: { b: 2 } })
    const thread = await store.saveThread({ ...key, title: null })
    assert.equal('title' in thread, false)
    assert.deepEqual(thread.metadata, { size: 2 })
    assert.deepEqual(thread.state, { b: 2 })
    assert.equal(thread.version, 4)
    assert.deepEqual(await store.getThread(key), thread)
  },

  'returns empty metadata and no title if a thread has none': async ({ store }) => {
    const thread = await store.saveThread({ threadId: 'thread' })
    const { createdAt: _, updatedAt: __, ...rest } = thread
    assert.deepEqual(rest, { id: 'thread', metadata: {}, state: {}, version: 1, messageCount: 0 })
    assert.equal((await store.saveThread({ threadId: 'other', title: '' })).title, '')
  },

  'increments the version of a thread for changes, not for messages': async ({ store }) => {
    assert.equal((await store.saveMessages({ ...key, messages: sampleMessages(2) })).version, 1)
    assert.equal((await store.saveMessages({ ...key, messages: sampleMessages(3) })).version, 1)
    assert.equal((await store.saveMessages({ ...key, messages: [], thread: { title: 'T' } })).version, 2)
    assert.equal((await store.saveThread({ ...key, state: { a: 1 } })).version, 3)
    await store.deleteMessages({ ...key, messageIds: ['message-0'] })
    assert.equal((await store.getThread(key))?.version, 3)
  },

  'changes a thread only in the expected version': async ({ store }) => {
    await assertRefused('STORAGE_CONFLICT', () => store.saveThread({ ...key, title: 'A', ifVersion: 1 }))
    assert.equal(await store.getThread(key), undefined)
    assert.equal((await store.saveThread({ ...key, title: 'A', ifVersion: 0 })).version, 1)
    await assertRefused('STORAGE_CONFLICT', () => store.saveThread({ ...key, title: 'B', ifVersion: 0 }))
    assert.equal((await store.saveThread({ ...key, title: 'B', ifVersion: 1 })).version, 2)
    await assertRefused('STORAGE_CONFLICT', () => store.saveThread({ ...key, title: 'C', ifVersion: 1 }))
    assert.equal((await store.getThread(key))?.title, 'B')
  },

  'accepts one of many concurrent changes of a version': async ({ store }) => {
    await store.saveThread(key)
    const changes = Array.from({ length: 20 }, (_, index) =>
      store.saveThread({ ...key, state: { winner: index }, ifVersion: 1 }),
    )
    const outcomes = await Promise.allSettled(changes)
    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    assert.equal(winners.length, 1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'STORAGE_CONFLICT')
    }
    assert.deepEqual((await store.getThread(key))?.state, winners[0]?.value.state)
  },

  'lists threads by their last update or creation, newest first': async ({ store }) => {
    const resourceId = 'ada'
    for (const threadId of ['a', 'b', 'c', 'd']) await store.saveThread({ threadId, resourceId })
    await store.saveThread({ threadId: 'b', resourceId, title: 'changed' })
    await store.saveMessages({ threadId: 'a', resourceId, messages: sampleMessages(1) })
    const list = async (orderBy?: 'createdAt' | 'updatedAt'): Promise<string[]> =>
      (await store.listThreads({ resourceId, orderBy })).items.map(({ id }) => id)
    assert.deepEqual(await list(), ['a', 'b', 'd', 'c'])
    assert.deepEqual(await list('updatedAt'), ['a', 'b', 'd', 'c'])
    assert.deepEqual(await list('createdAt'), ['d', 'c', 'b', 'a'])
    await store.deleteMessages({ threadId: 'c', resourceId, messageIds: ['nonesuch'] })
    await store.saveMessages({ threadId: 'd', resourceId, messages: sampleMessages(1) })
    await store.deleteMessages({ threadId: 'a', resourceId, messageIds: ['message-0'] })
    assert.deepEqual(await list(), ['a', 'd', 'b', 'c'])
  },

  'keeps pages of threads stable when threads are added': async ({ store }) => {
    const resourceId = 'ada'
    const ids = Array.from({ length: 25 }, (_, index) => `thread-${index}`)
    for (const threadId of ids) await store.saveThread({ threadId, resourceId })
    for (const orderBy of ['createdAt', 'updatedAt'] as const) {
      let page = 0
      const listed = await allPages(async (cursor) => {
        await store.saveThread({ threadId: `${orderBy}-${page++}`, resourceId })
        return store.listThreads({ resourceId, orderBy, limit: 4, cursor })
      })
      const found = listed.map(({ id }) => id).filter((id) => ids.includes(id))
      assert.deepEqual(found, ids.toReversed())
    }
  },

  'returns no cursor on the last page': async ({ store }) => {
    for (const threadId of ['a', 'b']) await store.saveThread({ threadId })
    assert.equal('nextCursor' in (await store.listThreads({ limit: 2 })), false)
    assert.equal('nextCursor' in (await store.listThreads({ limit: 1 })), true)
    for (let index = 0; index < 99; index++) await store.saveThread({ threadId: `thread-${index}` })
    assert.equal((await store.listThreads({})).items.length, 100)
  },
}
