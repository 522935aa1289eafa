import { allPages } from './all-pages.ts'
import { assert } from './assert.ts'
import { idsOf, sampleMessages } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }

/** Every turn is complete, and its messages are adjacent. */
function assertWholeTurns(ids: readonly string[], { turns, size }: { turns: number; size: number }): void {
  assert.equal(ids.length, turns * size)
  const seen = new Set<string>()
  for (let start = 0; start < ids.length; start += size) {
    const prefix = ids[start]?.replace(/-\d+$/, '') ?? ''
    seen.add(prefix)
    assert.deepEqual(
      ids.slice(start, start + size),
      sampleMessages(size, prefix).map(({ id }) => id),
    )
  }
  assert.equal(seen.size, turns)
}

export const concurrency: StorageRules = {
  'saves complete turns under concurrent writes to one thread': async ({ store }) => {
    const saved = await Promise.all(
      Array.from({ length: 40 }, (_, turn) =>
        store.saveMessages({ ...key, messages: sampleMessages(3, `turn-${turn}`) }),
      ),
    )
    const { items } = await store.listMessages({ ...key, limit: 1_000 })
    assertWholeTurns(idsOf(items), { turns: 40, size: 3 })
    assert.equal(new Set(items.map(({ sequence }) => sequence)).size, 120)
    const counts = saved.map(({ messageCount }) => messageCount).toSorted((left, right) => left - right)
    assert.deepEqual(
      counts,
      Array.from({ length: 40 }, (_, index) => 3 * (index + 1)),
    )
    assert.deepEqual(new Set(saved.map(({ version }) => version)), new Set([1]))
  },

  'saves all threads under concurrent writes': async ({ store }) => {
    const owners = Array.from({ length: 40 }, (_, index) => ({
      threadId: `thread-${index % 20}`,
      resourceId: `resource-${index % 4}`,
    }))
    await Promise.all(
      owners.map((owner, index) =>
        store.saveMessages({ ...owner, messages: sampleMessages(2, `turn-${index}`) }),
      ),
    )
    for (let resource = 0; resource < 4; resource++) {
      const resourceId = `resource-${resource}`
      const threads = await allPages((cursor) => store.listThreads({ resourceId, limit: 3, cursor }))
      assert.equal(threads.length, 5)
      for (const { id, messageCount } of threads) {
        assert.equal(messageCount, 4)
        const { items } = await store.listMessages({ threadId: id, resourceId })
        assertWholeTurns(idsOf(items), { turns: 2, size: 2 })
      }
    }
  },

  'reaches a consistent state under concurrent saves, edits and deletions': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(20) })
    await Promise.all([
      ...sampleMessages(20).map((message) => store.saveMessages({ ...key, messages: [message] })),
      ...sampleMessages(10).map(({ id }) => store.deleteMessages({ ...key, messageIds: [id] })),
      ...Array.from({ length: 10 }, (_, turn) =>
        store.saveMessages({ ...key, messages: sampleMessages(2, `turn-${turn}`) }),
      ),
    ])
    const { items } = await store.listMessages(key)
    const ids = idsOf(items)
    assert.equal(new Set(ids).size, ids.length)
    assert.equal((await store.getThread(key))?.messageCount, ids.length)
    for (const { id } of sampleMessages(20).slice(10)) assert.ok(ids.includes(id), `${id} is missing`)
    assertWholeTurns(
      ids.filter((id) => id.startsWith('turn-')),
      { turns: 10, size: 2 },
    )
    if (!store.capabilities.search) return
    const found = await store.searchMessages({ resourceId: 'ada', query: 'message turn text', limit: 100 })
    assert.deepEqual(idsOf(found).toSorted(), ids.toSorted())
  },

  'leaves no data of a resource that is deleted during writes': async ({ store }) => {
    const writes = Array.from({ length: 20 }, (_, index) =>
      store.saveMessages({ threadId: `thread-${index}`, resourceId: 'ada', messages: sampleMessages(2) }),
    )
    await Promise.all([...writes, store.deleteResource({ resourceId: 'ada' })])
    const threads = await allPages((cursor) => store.listThreads({ resourceId: 'ada', cursor }))
    for (const { id, messageCount } of threads) {
      assert.equal(messageCount, 2)
      assert.equal((await store.listMessages({ threadId: id, resourceId: 'ada' })).items.length, 2)
    }
    await store.deleteResource({ resourceId: 'ada' })
    assert.deepEqual(await store.listThreads({ resourceId: 'ada' }), { items: [] })
    assert.deepEqual((await store.listMessages({ threadId: 'thread-0', resourceId: 'ada' })).items, [])
  },
}
