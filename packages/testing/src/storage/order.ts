import { assert } from './assert.ts'
import { idsOf, sampleMessage, sampleMessages } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }

export const order: StorageRules = {
  'keeps the order of saving if timestamps are equal': async ({ store }) => {
    // Ids whose order differs from the order of saving.
    const ids = Array.from({ length: 40 }, (_, index) => `${(index * 17) % 40}`)
    await store.saveMessages({ ...key, messages: ids.slice(0, 20).map((id) => sampleMessage(id)) })
    for (const id of ids.slice(20)) await store.saveMessages({ ...key, messages: [sampleMessage(id)] })
    assert.deepEqual(idsOf((await store.listMessages(key)).items), ids)
    assert.deepEqual(idsOf((await store.listMessages({ ...key, order: 'desc' })).items), ids.toReversed())
  },

  'keeps the order of saving if clocks run backwards': async ({ store }) => {
    const times = [5_000, 4_000, 9_000, -1, 0, 8.64e15, -8.64e15]
    for (const [index, time] of times.entries()) {
      await store.saveMessages({
        ...key,
        messages: [sampleMessage(`${index}`, 'Hi', { createdAt: new Date(time) })],
      })
    }
    const { items } = await store.listMessages(key)
    assert.deepEqual(
      items.map(({ message }) => message.createdAt.getTime()),
      times,
    )
  },

  'gives messages increasing and unique numbers': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(5) })
    const before = (await store.listMessages(key)).items.map(({ sequence }) => sequence)
    for (const [index, sequence] of before.entries())
      assert.ok(index === 0 || sequence > (before[index - 1] ?? 0))
    await store.deleteMessages({ ...key, messageIds: ['message-3', 'message-4'] })
    await store.saveMessages({ ...key, messages: [sampleMessage('message-4'), sampleMessage('new')] })
    const after = (await store.listMessages(key)).items.slice(3).map(({ sequence }) => sequence)
    assert.equal(after.length, 2)
    for (const sequence of after) assert.ok(sequence > (before[4] ?? 0), 'a number was given twice')
  },
}
