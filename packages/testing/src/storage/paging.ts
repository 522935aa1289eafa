import { allPages } from './all-pages.ts'
import { assert, assertRefused } from './assert.ts'
import { idsOf, sampleMessage, sampleMessages } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }

export const paging: StorageRules = {
  'returns every message once, page by page, forwards and backwards': async ({ store }) => {
    const messages = sampleMessages(11)
    await store.saveMessages({ ...key, messages })
    const ids = messages.map(({ id }) => id)
    for (const limit of [1, 2, 3, 10, 11, 12]) {
      const read = (order: 'asc' | 'desc') =>
        allPages((cursor) => store.listMessages({ ...key, order, limit, cursor }))
      assert.deepEqual(idsOf(await read('asc')), ids)
      assert.deepEqual(idsOf(await read('desc')), ids.toReversed())
    }
    assert.equal('nextCursor' in (await store.listMessages({ ...key, limit: 11 })), false)
  },

  'returns a hundred messages without a limit': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(101) })
    const page = await store.listMessages(key)
    assert.equal(page.items.length, 100)
    const rest = await store.listMessages({ ...key, cursor: page.nextCursor })
    assert.deepEqual(idsOf(rest.items), ['message-100'])
  },

  'returns the messages before a given one, page by page, or all if it does not exist': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(9) })
    await store.saveMessages({ ...key, threadId: 'other', messages: [sampleMessage('elsewhere')] })
    const read = async (order: 'asc' | 'desc', before: string, limit: number): Promise<string[]> =>
      idsOf(await allPages((cursor) => store.listMessages({ ...key, order, before, limit, cursor })))
    const ids = sampleMessages(5).map(({ id }) => id)
    for (const limit of [1, 2, 5, 6]) {
      assert.deepEqual(await read('asc', 'message-5', limit), ids)
      assert.deepEqual(await read('desc', 'message-5', limit), ids.toReversed())
    }
    assert.deepEqual(await read('desc', 'message-0', 10), [])
    for (const before of ['nonesuch', 'elsewhere', '%']) {
      assert.equal((await read('desc', before, 4)).length, 9)
    }
    await assertRefused('STORAGE_INPUT_INVALID', () => store.listMessages({ ...key, before: '' }))
  },

  'keeps pages stable when messages are added or removed between them': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(20) })
    let page = 0
    const backwards = await allPages(async (cursor) => {
      const found = await store.listMessages({ ...key, order: 'desc', limit: 3, cursor })
      await store.saveMessages({ ...key, messages: [sampleMessage(`added-${page++}`)] })
      return found
    })
    assert.deepEqual(
      idsOf(backwards),
      sampleMessages(20)
        .map(({ id }) => id)
        .reverse(),
    )
    const forwards = await allPages(async (cursor) => {
      const found = await store.listMessages({ ...key, limit: 4, cursor })
      // Delete the messages that were read, including the one of the cursor.
      await store.deleteMessages({ ...key, messageIds: idsOf(found.items) })
      return found
    })
    assert.equal(forwards.length, 20 + page)
    assert.equal(new Set(idsOf(forwards)).size, 20 + page)
  },

  'misses no existing message when it reads during writes': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(30) })
    const writing = Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        store.saveMessages({ ...key, messages: [sampleMessage(`added-${index}`)] }),
      ),
    )
    // If an assertion below fails, this is not awaited.
    writing.catch(() => {})
    const read = await allPages((cursor) => store.listMessages({ ...key, limit: 4, cursor }))
    await writing
    assert.deepEqual(
      idsOf(read).slice(0, 30),
      sampleMessages(30).map(({ id }) => id),
    )
    assert.equal(new Set(idsOf(read)).size, read.length)
    assert.deepEqual(idsOf((await store.listMessages(key)).items).slice(0, read.length), idsOf(read))
  },

  'refuses invalid cursors and limits': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(2) })
    for (const cursor of ['', '1', 'c', "c1' OR 1=1 --", 'c!', `c${'z'.repeat(40)}`, '\0']) {
      await assertRefused('STORAGE_INPUT_INVALID', () => store.listMessages({ ...key, cursor }))
      await assertRefused('STORAGE_INPUT_INVALID', () => store.listThreads({ resourceId: 'ada', cursor }))
    }
    for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1' as unknown as number]) {
      await assertRefused('STORAGE_INPUT_INVALID', () => store.listMessages({ ...key, limit }))
      await assertRefused('STORAGE_INPUT_INVALID', () => store.listThreads({ resourceId: 'ada', limit }))
    }
    assert.equal((await store.listMessages({ ...key, limit: Number.MAX_SAFE_INTEGER })).items.length, 2)
    assert.equal(
      (await store.listThreads({ resourceId: 'ada', limit: Number.MAX_SAFE_INTEGER })).items.length,
      1,
    )
  },
}
