import type { Store } from '@millrace/core'
import { assert } from './assert.ts'
import { sampleRun } from './runs.ts'
import { idsOf, sampleMessage, sampleMessages } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const model = 'example-embedding'

async function fill(store: Store, threadId: string, resourceId = 'ada'): Promise<void> {
  const ids = [`${threadId}-a`, `${threadId}-b`]
  await store.saveMessages({ threadId, resourceId, messages: ids.map((id) => sampleMessage(id, 'umbrella')) })
  if (store.capabilities.vectors) {
    const vectors = ids.map((messageId) => ({ messageId, vector: [1, 0] }))
    await store.saveVectors({ threadId, resourceId, model, vectors })
  }
  await store.saveRun(sampleRun(`run-${resourceId}-${threadId}`, { threadId, resourceId }))
  const used = `used-${resourceId}-${threadId}`
  await store.saveRun(sampleRun(used, { threadId, resourceId }))
  await store.releaseRun(used, { resourceId })
}

/** The ids of messages that any method returns for a resource. */
async function traces(store: Store, resourceId = 'ada'): Promise<string[]> {
  const { search, vectors } = store.capabilities
  const { items } = await store.listThreads({ resourceId })
  const found = [
    ...(search ? await store.searchMessages({ resourceId, query: 'umbrella', limit: 100 }) : []),
    ...(vectors ? await store.searchVectors({ resourceId, model, vector: [1, 0], limit: 100 }) : []),
    ...(vectors ? (await store.listMessagesWithoutVector({ resourceId, model: 'other' })).items : []),
    ...(await Promise.all(items.map(({ id }) => store.listMessages({ threadId: id, resourceId })))).flatMap(
      (page) => page.items,
    ),
    ...(await store.getMessages({
      resourceId,
      messages: ['one', 'two'].flatMap((threadId) =>
        ['a', 'b'].map((id) => ({ threadId, messageId: `${threadId}-${id}` })),
      ),
    })),
  ]
  return [...new Set(idsOf(found))].toSorted()
}

/** For each way to read, how many messages of a thread it finds. Another thread has messages as well. */
async function countsOf(store: Store, threadId: string): Promise<Record<string, number>> {
  const { search, vectors } = store.capabilities
  const resourceId = 'ada'
  const limit = 1_000
  const count = (found: readonly { message: { threadId?: string | undefined } }[]): number =>
    found.filter(({ message }) => message.threadId === threadId).length
  return {
    messages: count((await store.listMessages({ threadId, resourceId, limit })).items),
    ...(search && { words: count(await store.searchMessages({ resourceId, query: 'umbrella', limit })) }),
    ...(vectors && {
      near: count(await store.searchVectors({ resourceId, model, vector: [1, 0], limit })),
      missing: count((await store.listMessagesWithoutVector({ resourceId, model: 'other', limit })).items),
    }),
  }
}

/** Watches what readers find while a thread with many messages is deleted. */
async function watched(store: Store, deleteIt: () => Promise<unknown>): Promise<void> {
  const size = 250
  for (const threadId of ['one', 'two']) {
    const key = { threadId, resourceId: 'ada' }
    const messages = Array.from({ length: size }, (_, index) =>
      sampleMessage(`${threadId}-${index}`, `umbrella number${index} of ${threadId}`),
    )
    await store.saveMessages({ ...key, messages })
    if (!store.capabilities.vectors) continue
    await store.saveVectors({
      ...key,
      model,
      vectors: messages.map(({ id }) => ({ messageId: id, vector: [1, 0] })),
    })
  }
  let isOver = false
  const deleted = deleteIt().finally(() => {
    isOver = true
  })
  let isGone = false
  try {
    while (!isOver) {
      const counts = await countsOf(store, 'one')
      for (const [way, count] of Object.entries(counts)) {
        assert.ok(count === 0 || (count === size && !isGone), `${way}: ${count} messages`)
        isGone = count === 0
      }
      await new Promise((resolve) => setImmediate(resolve))
    }
  } finally {
    await deleted
  }
  for (const count of Object.values(await countsOf(store, 'one'))) assert.equal(count, 0)
}

export const deletion: StorageRules = {
  'deletes a thread atomically for concurrent readers': async ({ store }) => {
    await watched(store, () => store.deleteThread({ threadId: 'one', resourceId: 'ada' }))
    for (const count of Object.values(await countsOf(store, 'two'))) assert.equal(count, 250)
    // Data that is saved under its name meanwhile remains.
    const key = { threadId: 'two', resourceId: 'ada' }
    const deleted = store.deleteThread(key)
    await store.saveMessages({ ...key, messages: [sampleMessage('new', 'hat')] })
    await deleted
    const { items } = await store.listMessages(key)
    assert.ok(items.length === 0 || (items.length === 1 && items[0]?.message.id === 'new'))
  },

  'deletes a resource atomically for concurrent readers': async ({ store }) => {
    await watched(store, () => store.deleteResource({ resourceId: 'ada' }))
  },

  'deletes a message from everything that could find it': async ({ store }) => {
    for (const threadId of ['one', 'two']) await fill(store, threadId)
    await store.deleteMessages({ threadId: 'one', resourceId: 'ada', messageIds: ['one-a'] })
    assert.deepEqual(await traces(store), ['one-b', 'two-a', 'two-b'])
  },

  'deletes messages that a repeated turn has removed': async ({ store }) => {
    for (const threadId of ['one', 'two']) await fill(store, threadId)
    await store.saveMessages({ threadId: 'two', resourceId: 'ada', messages: [], deleteAfter: 'two-a' })
    assert.deepEqual(await traces(store), ['one-a', 'one-b', 'two-a'])
    // The same id with different text is found neither by the old words nor by the old vector.
    await store.saveMessages({
      threadId: 'two',
      resourceId: 'ada',
      messages: [sampleMessage('two-b', 'hat')],
    })
    const { search, vectors } = store.capabilities
    const found = search ? idsOf(await store.searchMessages({ resourceId: 'ada', query: 'umbrella' })) : []
    const near = vectors ? idsOf(await store.searchVectors({ resourceId: 'ada', model, vector: [1, 0] })) : []
    assert.equal([...found, ...near].includes('two-b'), false)
  },

  'deletes a thread with its messages and runs': async ({ store }) => {
    for (const threadId of ['one', 'two']) await fill(store, threadId)
    assert.equal(await store.deleteThread({ threadId: 'one', resourceId: 'ada' }), true)
    assert.equal(await store.deleteThread({ threadId: 'one', resourceId: 'ada' }), false)
    assert.equal(await store.getThread({ threadId: 'one', resourceId: 'ada' }), undefined)
    assert.deepEqual(await traces(store), ['two-a', 'two-b'])
    assert.equal(await store.getRun('run-ada-one', { resourceId: 'ada' }), undefined)
    assert.equal(await store.releaseRun('run-ada-one', { resourceId: 'ada' }), undefined)
    assert.deepEqual(
      (await store.listRuns({ resourceId: 'ada' })).map(({ runId }) => runId),
      ['run-ada-two'],
    )
    assert.deepEqual(await store.getRun('used-ada-two', { resourceId: 'ada' }), { state: 'released' })
    // A new thread with the same id starts empty.
    const thread = await store.saveMessages({
      threadId: 'one',
      resourceId: 'ada',
      messages: sampleMessages(1),
    })
    assert.deepEqual(
      { version: thread.version, messageCount: thread.messageCount },
      { version: 1, messageCount: 1 },
    )
    assert.deepEqual(idsOf((await store.listMessages({ threadId: 'one', resourceId: 'ada' })).items), [
      'message-0',
    ])
  },

  'deletes runs of a thread that was never saved': async ({ store }) => {
    await store.saveRun(sampleRun('run', { threadId: 'thread', resourceId: 'ada' }))
    await store.deleteThread({ threadId: 'thread', resourceId: 'ada' })
    assert.equal(await store.getRun('run', { resourceId: 'ada' }), undefined)
  },

  'deletes all data of a resource, and nothing else': async ({ store }) => {
    for (const resourceId of ['ada', 'bob']) {
      for (const threadId of ['one', 'two']) await fill(store, threadId, resourceId)
      await store.saveResource({ resourceId, metadata: { plan: 'free' } })
      await store.addToCounter({ resourceId, key: 'tokens', amount: 3 })
      await store.setKey({ resourceId, key: 'cache', value: 'x' })
      await store.saveRun(sampleRun(`threadless-${resourceId}`, { resourceId }))
    }
    await store.setKey({ key: 'cache', value: 'nobodys' })
    await store.deleteResource({ resourceId: 'ada' })
    await store.deleteResource({ resourceId: 'ada' })
    assert.deepEqual(await traces(store), [])
    assert.deepEqual(await store.listThreads({ resourceId: 'ada' }), { items: [] })
    assert.equal(await store.getResource({ resourceId: 'ada' }), undefined)
    assert.deepEqual(await store.addToCounter({ resourceId: 'ada', key: 'tokens', amount: 0 }), {
      value: 0,
      added: true,
    })
    assert.equal(await store.getKey({ resourceId: 'ada', key: 'cache' }), undefined)
    for (const runId of ['run-ada-one', 'used-ada-one', 'threadless-ada'])
      assert.equal(await store.getRun(runId, { resourceId: 'ada' }), undefined)
    assert.deepEqual(await traces(store, 'bob'), ['one-a', 'one-b', 'two-a', 'two-b'])
    assert.deepEqual((await store.getResource({ resourceId: 'bob' }))?.metadata, { plan: 'free' })
    assert.equal((await store.addToCounter({ resourceId: 'bob', key: 'tokens', amount: 0 })).value, 3)
    assert.equal(await store.getKey({ key: 'cache' }), 'nobodys')
    assert.equal((await store.getRun('threadless-bob', { resourceId: 'bob' }))?.state, 'suspended')
    if (store.capabilities.vectors) {
      // With the vectors, their dimensions are deleted too.
      const key = { threadId: 'new', resourceId: 'ada' }
      await store.saveMessages({ ...key, messages: [sampleMessage('new')] })
      await store.saveVectors({ ...key, model, vectors: [{ messageId: 'new', vector: [1, 0, 0] }] })
    }
  },
}
