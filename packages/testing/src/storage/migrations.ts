import { assert } from './assert.ts'
import { idsOf, sampleMessage, sampleMessages } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }

export const migrations: StorageRules = {
  'changes nothing when it is migrated again': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(2) })
    const before = [await store.listMessages(key), await store.getThread(key)]
    await store.migrate()
    await Promise.all([store.migrate(), store.migrate(), store.listMessages(key)])
    assert.deepEqual([await store.listMessages(key), await store.getThread(key)], before)
  },

  'can be migrated concurrently': async ({ openUnmigrated }) => {
    const stores = await openUnmigrated(4)
    await Promise.all(stores.map((store) => store.migrate()))
    await Promise.all(
      stores.map((store, index) => store.saveMessages({ ...key, messages: [sampleMessage(`${index}`)] })),
    )
    const [first] = stores
    const { items } = (await first?.listMessages(key)) ?? { items: [] }
    assert.deepEqual(idsOf(items).toSorted(), first?.capabilities.persistent ? ['0', '1', '2', '3'] : ['0'])
  },

  'reports that it must be migrated, or migrates itself': async ({ openUnmigrated }) => {
    const [store] = await openUnmigrated(1)
    assert.ok(store)
    try {
      await store.saveMessages({ ...key, messages: sampleMessages(1) })
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'STORAGE_SCHEMA_OUTDATED')
      await store.migrate()
      await store.saveMessages({ ...key, messages: sampleMessages(1) })
    }
    assert.equal((await store.listMessages(key)).items.length, 1)
  },
}
