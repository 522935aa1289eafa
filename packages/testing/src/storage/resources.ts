import { assert, assertRefused } from './assert.ts'
import { sampleMessages } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const resourceId = 'ada'

export const resources: StorageRules = {
  'returns a resource as it was saved': async ({ store }) => {
    assert.equal(await store.getResource({ resourceId }), undefined)
    const fields = { metadata: { plan: 'free' }, state: { memory: 'Likes tea' } }
    const saved = await store.saveResource({ resourceId, ...fields })
    const { createdAt, updatedAt, ...rest } = saved
    assert.deepEqual(rest, { id: 'ada', ...fields, version: 1 })
    assert.ok(createdAt instanceof Date && updatedAt instanceof Date)
    assert.deepEqual(await store.getResource({ resourceId }), saved)
  },

  'creates no record of a resource that only has threads': async ({ store }) => {
    await store.saveMessages({ threadId: 'thread', resourceId, messages: sampleMessages(1) })
    assert.equal(await store.getResource({ resourceId }), undefined)
    const { metadata, state, version } = await store.saveResource({ resourceId, ifVersion: 0 })
    assert.deepEqual({ metadata, state, version }, { metadata: {}, state: {}, version: 1 })
  },

  'keeps the fields of a resource that a change does not set': async ({ store }) => {
    await store.saveResource({ resourceId, metadata: { a: 1 }, state: { b: 1 } })
    await store.saveResource({ resourceId, metadata: { c: 1 } })
    const resource = await store.saveResource({ resourceId, state: { d: [1, { e: null }] } })
    assert.deepEqual(resource.metadata, { c: 1 })
    assert.deepEqual(resource.state, { d: [1, { e: null }] })
    assert.equal(resource.version, 3)
    assert.deepEqual(await store.getResource({ resourceId }), resource)
  },

  'changes a resource only in the expected version': async ({ store }) => {
    await assertRefused('STORAGE_CONFLICT', () => store.saveResource({ resourceId, ifVersion: 1 }))
    assert.equal(await store.getResource({ resourceId }), undefined)
    await store.saveResource({ resourceId, ifVersion: 0 })
    await assertRefused('STORAGE_CONFLICT', () => store.saveResource({ resourceId, ifVersion: 0 }))
    const changes = Array.from({ length: 20 }, (_, index) =>
      store.saveResource({ resourceId, state: { winner: index }, ifVersion: 1 }),
    )
    const outcomes = await Promise.allSettled(changes)
    const winners = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    assert.equal(winners.length, 1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') assert.equal(outcome.reason.code, 'STORAGE_CONFLICT')
    }
    assert.deepEqual(await store.getResource({ resourceId }), winners[0]?.value)
  },
}
