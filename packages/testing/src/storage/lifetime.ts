import type { Store } from '@millrace/core'
import { assert, assertRefused } from './assert.ts'
import { sampleCall } from './leases.ts'
import { sampleRun } from './runs.ts'
import { idsOf, sampleMessage, sampleMessages } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }
const model = 'example-embedding'

async function fill(store: Store): Promise<void> {
  await store.saveMessages({ ...key, messages: [sampleMessage('a', 'red umbrella'), sampleMessage('b')] })
  if (store.capabilities.vectors) {
    await store.saveVectors({ ...key, model, vectors: [{ messageId: 'a', vector: [1, 0] }] })
  }
  await store.saveThread({ ...key, title: 'Plans', state: { memory: 1 } })
  await store.saveResource({ resourceId: 'ada', metadata: { plan: 'free' } })
  await store.saveRun(sampleRun('run', key))
  await store.saveRun(sampleRun('used', key))
  await store.releaseRun('used', { resourceId: 'ada' })
  await store.saveRun(sampleRun('interrupted', key))
  await store.claimRun('interrupted', {
    leaseMs: 3_600_000,
    owner: { resourceId: key.resourceId },
    data: '1',
  })
  const lease = { runId: 'interrupted', attempt: 1, resourceId: 'ada' }
  await store.updateRun(lease, { leaseMs: 3_600_000, calls: [sampleCall('call')] })
  await store.endRun(lease, 'interrupted')
  await store.appendToStream({ ...key, runId: 'run', offset: 0, chunks: ['a', 'b'] })
  await store.addToCounter({ resourceId: 'ada', key: 'tokens', amount: 7 })
  await store.setKey({ resourceId: 'ada', key: 'cache', value: 'value' })
}

/** All data that `fill` has saved. */
async function readAll(store: Store): Promise<Record<string, unknown>> {
  const { search, vectors } = store.capabilities
  return {
    messages: await store.listMessages(key),
    threads: await store.listThreads({ resourceId: 'ada' }),
    resource: await store.getResource({ resourceId: 'ada' }),
    found: search && (await store.searchMessages({ resourceId: 'ada', query: 'umbrella' })),
    near: vectors && (await store.searchVectors({ resourceId: 'ada', model, vector: [1, 0] })),
    runs: [
      await store.getRun('run', { resourceId: 'ada' }),
      await store.getRun('used', { resourceId: 'ada' }),
      await store.getRun('interrupted', { resourceId: 'ada' }),
    ],
    stream: await store.readStream({ resourceId: 'ada', runId: 'run' }),
    counter: await store.addToCounter({ resourceId: 'ada', key: 'tokens', amount: 0 }),
    key: await store.getKey({ resourceId: 'ada', key: 'cache' }),
  }
}

export const lifetime: StorageRules = {
  'has its data after it is reopened if it is persistent, else none': async ({ store, reopen }) => {
    const empty = await readAll(store)
    await fill(store)
    const before = await readAll(store)
    if (store.capabilities.persistent) {
      // While the first store is open, and after it is closed.
      assert.deepEqual(await readAll(await reopen()), before)
      await store.close()
      const again = await reopen()
      assert.deepEqual(await readAll(again), before)
      await again.saveMessages({ ...key, messages: [sampleMessage('c')] })
      const { items } = await again.listMessages(key)
      assert.deepEqual(idsOf(items), ['a', 'b', 'c'])
      assert.ok((items[2]?.sequence ?? 0) > (items[1]?.sequence ?? 0))
    } else {
      assert.deepEqual(await readAll(await reopen()), empty)
      await store.close()
      assert.deepEqual(await readAll(await reopen()), empty)
    }
  },

  'continues the numbers of messages after it is reopened, also if the last were removed': async ({
    store,
    reopen,
  }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(3) })
    const last = (await store.listMessages(key)).items[2]?.sequence ?? 0
    await store.deleteMessages({ ...key, messageIds: ['message-1', 'message-2'] })
    await store.close()
    const again = await reopen()
    await again.saveMessages({ ...key, messages: [sampleMessage('new')] })
    const { items } = await again.listMessages(key)
    assert.deepEqual(idsOf(items), again.capabilities.persistent ? ['message-0', 'new'] : ['new'])
    if (again.capabilities.persistent) assert.ok((items[1]?.sequence ?? 0) > last)
  },

  'refuses calls after it is closed': async ({ store }) => {
    await fill(store)
    await store.close()
    await store.close()
    const messages = [{ threadId: 'thread', messageId: 'a' }]
    const calls: (() => Promise<unknown>)[] = [
      () => store.migrate(),
      () => store.getThread(key),
      () => store.saveThread(key),
      () => store.listThreads({ resourceId: 'ada' }),
      () => store.deleteThread(key),
      () => store.saveMessages({ ...key, messages: sampleMessages(1) }),
      () => store.listMessages(key),
      () => store.getMessages({ resourceId: 'ada', messages }),
      () => store.deleteMessages({ ...key, messageIds: ['a'] }),
      () => store.getResource({ resourceId: 'ada' }),
      () => store.saveResource({ resourceId: 'ada' }),
      () => store.deleteResource({ resourceId: 'ada' }),
      () => store.addToCounter({ key: 'tokens', amount: 1 }),
      () => store.getKey({ key: 'cache' }),
      () => store.setKey({ key: 'cache', value: 'x' }),
      () => store.deleteKey({ key: 'cache' }),
      () => store.saveRun(sampleRun('new')),
      () => store.getRun('run'),
      () => store.claimRun('run', { leaseMs: 1 }),
      () => store.updateRun({ runId: 'run', attempt: 1 }, { leaseMs: 1 }),
      () => store.endRun({ runId: 'run', attempt: 1 }, 'done'),
      () => store.releaseRun('run'),
      () => store.appendToStream({ runId: 'run', offset: 0, chunks: [] }),
      () => store.readStream({ runId: 'run' }),
      () => store.deleteStream({ runId: 'run' }),
      () => store.listRuns({}),
    ]
    const { search, vectors } = store.capabilities
    if (search) calls.push(() => store.searchMessages({ query: 'umbrella' }))
    if (vectors) {
      const vector = [1, 0]
      calls.push(() => store.saveVectors({ ...key, model, vectors: [{ messageId: 'a', vector }] }))
      calls.push(() => store.searchVectors({ model, vector }))
      calls.push(() => store.listMessagesWithoutVector({ model }))
    }
    for (const call of calls) await assertRefused('STORAGE_CLOSED', call)
  },

  'completes calls in flight when it closes': async ({ store, reopen }) => {
    const saving = Array.from({ length: 30 }, (_, index) =>
      store.saveMessages({ ...key, messages: sampleMessages(3, `turn-${index}`) }),
    )
    await store.close()
    const outcomes = await Promise.allSettled(saving)
    for (const outcome of outcomes) assert.equal(outcome.status, 'fulfilled')
    if (!store.capabilities.persistent) return
    const { items } = await (await reopen()).listMessages(key)
    assert.equal(items.length, 90)
  },
}
