import { assert } from './assert.ts'
import { sampleMessage, sampleMessages } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }

export const idempotence: StorageRules = {
  'changes nothing when a turn is saved again': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(4) })
    const before = await store.listMessages(key)
    const { version } = (await store.getThread(key)) ?? {}
    for (const messages of [sampleMessages(4), sampleMessages(4).reverse(), sampleMessages(2)]) {
      assert.equal((await store.saveMessages({ ...key, messages })).messageCount, 4)
    }
    assert.deepEqual(await store.listMessages(key), before)
    assert.equal((await store.getThread(key))?.version, version)
  },

  'saves a turn once if it is saved concurrently': async ({ store }) => {
    await Promise.all(
      Array.from({ length: 10 }, () => store.saveMessages({ ...key, messages: sampleMessages(5) })),
    )
    const { items } = await store.listMessages(key)
    assert.deepEqual(
      items.map(({ message }) => message.id),
      sampleMessages(5).map(({ id }) => id),
    )
    assert.equal((await store.getThread(key))?.messageCount, 5)
  },

  'finds a message once, however often it was saved': async ({ store }) => {
    if (!store.capabilities.search) return
    for (let time = 0; time < 3; time++) {
      await store.saveMessages({ ...key, messages: [sampleMessage('a', 'umbrella')] })
    }
    assert.equal((await store.searchMessages({ resourceId: 'ada', query: 'umbrella' })).length, 1)
  },
}
