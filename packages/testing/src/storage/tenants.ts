import type { Store } from '@millrace/core'
import { allPages } from './all-pages.ts'
import { assert, assertRefused } from './assert.ts'
import { HOSTILE_IDS, IMPOSSIBLE_IDS } from './hostile-ids.ts'
import { sampleRun } from './runs.ts'
import { idsOf, sampleMessage } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const model = 'example-embedding'

/** Saves all kinds of data for a resource, with ids that every other resource uses too. `undefined` means no resource. */
async function fill(store: Store, resourceId: string | undefined, mark: string): Promise<void> {
  const owner = { threadId: 'thread', resourceId }
  const metadata = { mark }
  const messages = [
    sampleMessage('message', `umbrella ${mark}`, {
      content: { parts: [{ type: 'text', text: 'umbrella' }], metadata },
    }),
  ]
  await store.saveMessages({ ...owner, messages, thread: { title: mark } })
  if (store.capabilities.vectors) {
    await store.saveVectors({ ...owner, model, vectors: [{ messageId: 'message', vector: [1, 0] }] })
  }
  if (resourceId !== undefined) await store.saveResource({ resourceId, metadata })
  await store.saveRun(
    sampleRun(`run-${mark}`, {
      threadId: 'thread',
      payload: mark,
      ...(resourceId !== undefined && { resourceId }),
    }),
  )
  await store.setKey({ resourceId, key: 'key', value: mark })
  await store.addToCounter({ resourceId, key: 'key', amount: 1 })
}

/** All marks that a resource can read, by method. */
async function marksSeen(store: Store, resourceId: string | undefined): Promise<Record<string, unknown[]>> {
  const owner = { threadId: 'thread', resourceId }
  const { search, vectors } = store.capabilities
  const markOf = ({ message }: { message: { content: { metadata?: Record<string, unknown> } } }): unknown =>
    message.content.metadata?.mark
  return {
    threads: (await store.listThreads({ resourceId, limit: 1_000 })).items.map(({ title }) => title),
    created: (await store.listThreads({ resourceId, orderBy: 'createdAt' })).items.map(({ title }) => title),
    thread: [(await store.getThread(owner))?.title],
    foundThreads: (await store.searchThreads({ resourceId, limit: 1_000 })).map(({ thread }) => thread.title),
    ...(search && {
      foundByWords: (await store.searchThreads({ resourceId, query: 'umbrella', limit: 1_000 })).map(
        ({ thread }) => thread.title,
      ),
    }),
    messages: (await store.listMessages(owner)).items.map(markOf),
    newest: (await store.listMessages({ ...owner, order: 'desc' })).items.map(markOf),
    message: (
      await store.getMessages({
        resourceId,
        messages: [{ threadId: 'thread', messageId: 'message' }],
        previous: 9,
        next: 9,
      })
    ).map(markOf),
    ...(search && {
      found: (await store.searchMessages({ resourceId, query: 'umbrella', limit: 1_000 })).map(markOf),
      foundInThread: (await store.searchMessages({ ...owner, query: 'umbrella', limit: 1_000 })).map(markOf),
    }),
    ...(vectors && {
      near: (await store.searchVectors({ resourceId, model, vector: [1, 0], limit: 1_000 })).map(markOf),
      nearInThread: (await store.searchVectors({ ...owner, model, vector: [1, 0], limit: 1_000 })).map(
        markOf,
      ),
      unembedded: (await store.listMessagesWithoutVector({ resourceId, model: 'other' })).items.map(markOf),
    }),
    key: [await store.getKey({ resourceId, key: 'key' })],
    ...(resourceId !== undefined && {
      resource: [(await store.getResource({ resourceId }))?.metadata.mark],
      runs: (await store.listRuns({ resourceId })).map(({ payload }) => payload),
      runsOfThread: (await store.listRuns({ resourceId, threadId: 'thread' })).map(({ payload }) => payload),
    }),
  }
}

async function assertSees(
  store: Store,
  resourceId: string | undefined,
  mark: string | undefined,
): Promise<void> {
  for (const [where, marks] of Object.entries(await marksSeen(store, resourceId))) {
    const found = marks.filter((found) => found !== undefined)
    assert.deepEqual(found, mark === undefined ? [] : [mark], `${where} of ${JSON.stringify(resourceId)}`)
  }
}

const leaseMs = 3_600_000

export const tenants: StorageRules = {
  'returns only the data of the resource, for any id': async ({ store }) => {
    const owners = [undefined, ...HOSTILE_IDS]
    for (const [index, owner] of owners.entries()) await fill(store, owner, `${index}`)
    for (const [index, owner] of owners.entries()) await assertSees(store, owner, `${index}`)
  },

  'returns nothing to a resource with a similar id': async ({ store }) => {
    for (const owner of ['ada', 'é', 'x']) await fill(store, owner, owner)
    const guesses = HOSTILE_IDS.filter((id) => id !== 'ada' && id !== 'é')
    for (const guess of [undefined, ...guesses]) await assertSees(store, guess, undefined)
  },

  'keeps similar ids of threads, messages, keys and runs apart': async ({ store }) => {
    const resourceId = 'ada'
    for (const [index, id] of HOSTILE_IDS.entries()) {
      await store.saveMessages({ threadId: id, resourceId, messages: [sampleMessage('message', `${index}`)] })
      await store.setKey({ resourceId, key: id, value: `${index}` })
      await store.addToCounter({ resourceId, key: id, amount: index })
      await store.saveRun(sampleRun(id, { resourceId, threadId: id, payload: index }))
    }
    const messages = HOSTILE_IDS.map((id) => sampleMessage(id, id))
    await store.saveMessages({ threadId: 'all', resourceId, messages })
    for (const [index, id] of HOSTILE_IDS.entries()) {
      assert.equal((await store.getThread({ threadId: id, resourceId }))?.messageCount, 1)
      const [stored] = (await store.listMessages({ threadId: id, resourceId })).items
      assert.deepEqual(stored?.message.content.parts, [{ type: 'text', text: `${index}` }])
      assert.equal(await store.getKey({ resourceId, key: id }), `${index}`)
      assert.equal((await store.addToCounter({ resourceId, key: id, amount: 0 })).value, index)
      assert.deepEqual(
        (await store.listRuns({ threadId: id, resourceId })).map(({ payload }) => payload),
        [index],
      )
      const found = await store.getMessages({ resourceId, messages: [{ threadId: 'all', messageId: id }] })
      assert.deepEqual(idsOf(found), [id])
    }
    const listed = await allPages((cursor) => store.listThreads({ resourceId, limit: 10, cursor }))
    assert.deepEqual(new Set(listed.map(({ id }) => id)), new Set(['all', ...HOSTILE_IDS]))
    const all = await store.listMessages({ threadId: 'all', resourceId, limit: 1_000 })
    assert.deepEqual(idsOf(all.items), HOSTILE_IDS)
    assert.equal(await store.deleteThread({ threadId: '%', resourceId }), true)
    assert.equal(
      await store.deleteMessages({ threadId: 'all', resourceId, messageIds: ['_', "' OR '1'='1"] }),
      2,
    )
    assert.equal((await store.listThreads({ resourceId, limit: 1_000 })).items.length, HOSTILE_IDS.length)
    assert.equal(
      (await store.getThread({ threadId: 'all', resourceId }))?.messageCount,
      HOSTILE_IDS.length - 2,
    )
  },

  'changes and deletes nothing of another resource': async ({ store }) => {
    for (const owner of [undefined, 'ada', 'bob']) await fill(store, owner, owner ?? 'nobody')
    for (const other of ['Ada', 'eve', '%', '_da', 'ada ', "' OR '1'='1"]) {
      const owner = { threadId: 'thread', resourceId: other }
      assert.equal(await store.deleteThread(owner), false)
      assert.equal(await store.deleteMessages({ ...owner, messageIds: ['message'] }), 0)
      assert.equal(await store.deleteKey({ resourceId: other, key: 'key' }), false)
      await store.saveMessages({
        ...owner,
        messages: [sampleMessage('message', 'Changed')],
        deleteAfter: 'message',
      })
      await store.saveThread({ ...owner, title: 'Changed', metadata: {} })
      await store.saveResource({ resourceId: other, metadata: {} })
      await store.setKey({ resourceId: other, key: 'key', value: 'Changed' })
      if (store.capabilities.vectors) {
        await store.saveVectors({ ...owner, model, vectors: [{ messageId: 'message', vector: [-1, 0, 1] }] })
      }
      await store.deleteResource({ resourceId: other })
    }
    for (const owner of [undefined, 'ada', 'bob']) await assertSees(store, owner, owner ?? 'nobody')
    await store.deleteResource({ resourceId: 'ada' })
    await assertSees(store, 'ada', undefined)
    for (const owner of [undefined, 'bob']) await assertSees(store, owner, owner ?? 'nobody')
  },

  'gives a run to no other resource': async ({ store }) => {
    await store.saveRun(sampleRun('run', { resourceId: 'ada' }))
    await store.saveRun(sampleRun('nobodys'))
    for (const resourceId of HOSTILE_IDS.filter((id) => id !== 'ada')) {
      for (const runId of ['run', 'nobodys']) {
        assert.equal(await store.getRun(runId, { resourceId }), undefined)
        assert.equal(await store.claimRun(runId, { leaseMs, owner: { resourceId } }), undefined)
        assert.equal(await store.releaseRun(runId, { resourceId }), undefined)
      }
    }
    assert.equal((await store.getRun('run', { resourceId: 'ada' }))?.state, 'suspended')
    const claimed = await store.claimRun('run', { leaseMs, owner: { resourceId: 'ada' } })
    assert.equal(claimed?.state, 'suspended')
    assert.equal(await store.claimRun('run', { leaseMs, owner: { resourceId: 'bob' } }), undefined)
    assert.equal(await store.getRun('run', { resourceId: 'bob' }), undefined)
    assert.equal((await store.claimRun('nobodys', { leaseMs, owner: {} }))?.state, 'suspended')
  },

  'gives a run of a resource to no caller without a resource': async ({ store }) => {
    for (const runId of ['run', 'used']) await store.saveRun(sampleRun(runId, { resourceId: 'ada' }))
    assert.equal(await store.releaseRun('used', { resourceId: 'ada' }), 'suspended')
    for (const runId of ['run', 'used', 'nonesuch']) {
      for (const owner of [undefined, {}]) {
        assert.equal(await store.getRun(runId, owner), undefined)
        assert.equal(await store.claimRun(runId, { leaseMs, owner }), undefined)
        assert.equal(await store.releaseRun(runId, owner), undefined)
      }
    }
    assert.equal((await store.getRun('run', { resourceId: 'ada' }))?.state, 'suspended')
    await store.saveRun(sampleRun('nobodys'))
    assert.equal((await store.getRun('nobodys'))?.state, 'suspended')
    assert.equal((await store.claimRun('nobodys', { leaseMs }))?.state, 'suspended')
  },

  'uses a cursor of another resource as a position only': async ({ store }) => {
    for (const resourceId of ['ada', 'bob']) {
      for (let index = 0; index < 3; index++) {
        const owner = { threadId: `${resourceId}-${index}`, resourceId }
        await store.saveMessages({
          ...owner,
          messages: [0, 1, 2].map((message) => sampleMessage(`${resourceId}-${message}`)),
        })
      }
    }
    const threads = await store.listThreads({ resourceId: 'ada', limit: 1 })
    const other = await store.listThreads({ resourceId: 'bob', cursor: threads.nextCursor })
    for (const { resourceId } of other.items) assert.equal(resourceId, 'bob')
    const messages = await store.listMessages({ resourceId: 'ada', threadId: 'ada-0', limit: 1 })
    const others = await store.listMessages({
      resourceId: 'bob',
      threadId: 'bob-0',
      cursor: messages.nextCursor,
    })
    for (const { message } of others.items) assert.equal(message.resourceId, 'bob')
    const wrong = await store.listMessages({
      resourceId: 'bob',
      threadId: 'ada-0',
      cursor: messages.nextCursor,
    })
    assert.deepEqual(wrong.items, [])
  },

  'refuses ids that it cannot store': async ({ store }) => {
    for (const impossible of IMPOSSIBLE_IDS) {
      const id = impossible as string
      const calls: (() => Promise<unknown>)[] = [
        () => store.saveThread({ threadId: id }),
        () => store.getThread({ threadId: id }),
        () => store.deleteThread({ threadId: id }),
        () => store.saveMessages({ threadId: id, messages: [] }),
        () => store.saveMessages({ threadId: 'thread', messages: [sampleMessage(id)] }),
        () => store.saveMessages({ threadId: 'thread', messages: [], deleteAfter: id }),
        () => store.listMessages({ threadId: id }),
        () => store.getMessages({ messages: [{ threadId: 'thread', messageId: id }] }),
        () => store.deleteMessages({ threadId: 'thread', messageIds: [id] }),
        () => store.saveResource({ resourceId: id }),
        () => store.getResource({ resourceId: id }),
        () => store.deleteResource({ resourceId: id }),
        () => store.saveThread({ threadId: 'thread', resourceId: id }),
        () => store.saveMessages({ threadId: 'thread', resourceId: id, messages: [sampleMessage('a')] }),
        () => store.listThreads({ resourceId: id }),
        () => store.getKey({ key: id }),
        () => store.setKey({ key: id, value: 'x' }),
        () => store.deleteKey({ key: 'key', resourceId: id }),
        () => store.addToCounter({ key: id, amount: 1 }),
        () => store.saveRun(sampleRun(id)),
        () => store.saveRun(sampleRun('run', { resourceId: id })),
        () => store.saveRun(sampleRun('run', { threadId: id })),
        () => store.getRun(id),
        () => store.claimRun(id, { leaseMs }),
        () => store.claimRun('run', { leaseMs, owner: { resourceId: id } }),
        () => store.releaseRun(id),
        () => store.updateRun({ runId: id, attempt: 1 }, { leaseMs }),
        () => store.endRun({ runId: id, attempt: 1 }, 'done'),
        () => store.readStream({ runId: id }),
        () => store.appendToStream({ runId: 'run', resourceId: id, offset: 0, chunks: [] }),
        () => store.getRun('run', { resourceId: id }),
        () => store.listRuns({ resourceId: id }),
      ]
      for (const call of calls) await assertRefused('STORAGE_INPUT_INVALID', call)
    }
    const nobody = undefined as unknown as string
    await assertRefused('STORAGE_INPUT_INVALID', () => store.getResource({ resourceId: nobody }))
    await assertRefused('STORAGE_INPUT_INVALID', () => store.deleteResource({ resourceId: nobody }))
    assert.deepEqual(await store.listThreads({}), { items: [] })
    assert.deepEqual(await store.listRuns({}), [])
  },
}
