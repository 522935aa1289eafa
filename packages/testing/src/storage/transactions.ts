import type { Message } from '@millrace/core'
import { assert, assertRefused } from './assert.ts'
import { idsOf, sampleMessage, sampleMessages } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }

/** Invalid messages between valid ones. */
function badMessages(): Message[] {
  const cycle: Record<string, unknown> = {}
  cycle.self = cycle
  const metadata = (value: Record<string, unknown>) =>
    sampleMessage('bad', '', { content: { parts: [], metadata: value } })
  return [
    sampleMessage(''),
    sampleMessage('a\0b'),
    sampleMessage('message-0'),
    sampleMessage('bad', 'x', { role: 'tool' as 'user' }),
    sampleMessage('bad', 'x', { createdAt: new Date(Number.NaN) }),
    sampleMessage('bad', 'x', { createdAt: '2026-01-01' as unknown as Date }),
    sampleMessage('bad', 'x', { content: {} as Message['content'] }),
    metadata(cycle),
    metadata({ big: 1n }),
  ]
}

export const transactions: StorageRules = {
  'saves no message of a turn if one is invalid': async ({ store }) => {
    await store.saveMessages({
      ...key,
      messages: [sampleMessage('first', 'umbrella'), sampleMessage('second')],
    })
    const before = [await store.listMessages(key), await store.getThread(key)]
    for (const bad of badMessages()) {
      const messages = [...sampleMessages(2), sampleMessage('first', 'Edited'), bad, sampleMessage('after')]
      const thread = { title: 'Changed' }
      await assertRefused('STORAGE_INPUT_INVALID', () =>
        store.saveMessages({ ...key, messages, thread, deleteAfter: 'first' }),
      )
      await assertRefused('STORAGE_INPUT_INVALID', () => store.saveMessages({ threadId: 'new', messages }))
    }
    assert.deepEqual([await store.listMessages(key), await store.getThread(key)], before)
    assert.deepEqual(await store.listThreads({}), { items: [] })
    if (!store.capabilities.search) return
    assert.deepEqual(idsOf(await store.searchMessages({ resourceId: 'ada', query: 'umbrella' })), ['first'])
    assert.deepEqual(await store.searchMessages({ resourceId: 'ada', query: 'edited' }), [])
  },

  'saves no vector if one is invalid': async ({ store }) => {
    if (!store.capabilities.vectors) return
    const model = 'example-embedding'
    await store.saveMessages({ ...key, messages: sampleMessages(3) })
    await store.saveVectors({ ...key, model, vectors: [{ messageId: 'message-0', vector: [1, 0] }] })
    for (const bad of [[1], [0, 0], [Number.NaN, 1]]) {
      const vectors = [[0, 1], bad, [0, 1]].map((vector, index) => ({
        messageId: `message-${index}`,
        vector,
      }))
      await assertRefused('STORAGE_INPUT_INVALID', () => store.saveVectors({ ...key, model, vectors }))
    }
    const hits = await store.searchVectors({ resourceId: 'ada', model, vector: [1, 0] })
    assert.deepEqual(idsOf(hits), ['message-0'])
    assert.ok((hits[0]?.score ?? 0) > 0.99)
  },

  'changes nothing of a thread or resource if a change is invalid': async ({ store }) => {
    await store.saveThread({ ...key, title: 'Plans', metadata: { a: 1 } })
    await store.saveResource({ resourceId: 'ada', metadata: { a: 1 } })
    const before = [await store.getThread(key), await store.getResource({ resourceId: 'ada' })]
    const wrong: Record<string, unknown>[] = [
      { metadata: [] },
      { metadata: 'text' },
      { metadata: null },
      { metadata: '' },
      { state: { big: 1n } },
      { state: null },
      { ifVersion: -1 },
      { ifVersion: 0.5 },
      { ifVersion: Number.NaN },
    ]
    for (const fields of wrong) {
      const changed = { metadata: { b: 2 }, ...fields }
      await assertRefused('STORAGE_INPUT_INVALID', () =>
        store.saveThread({ ...key, title: 'Changed', ...changed }),
      )
      await assertRefused('STORAGE_INPUT_INVALID', () =>
        store.saveResource({ resourceId: 'ada', ...changed }),
      )
    }
    for (const title of [7, 'a\0b', {}] as string[]) {
      await assertRefused('STORAGE_INPUT_INVALID', () => store.saveThread({ ...key, title }))
      await assertRefused('STORAGE_INPUT_INVALID', () =>
        store.saveMessages({ ...key, messages: sampleMessages(1), thread: { title } }),
      )
    }
    assert.deepEqual([await store.getThread(key), await store.getResource({ resourceId: 'ada' })], before)
    assert.deepEqual(await store.listMessages(key), { items: [] })
  },

  'shows no incomplete turn to concurrent readers': async ({ store }) => {
    let isSaving = true
    const saving = Promise.all(
      Array.from({ length: 15 }, (_, turn) =>
        store.saveMessages({ ...key, messages: sampleMessages(4, `turn-${turn}`) }),
      ),
    ).finally(() => {
      isSaving = false
    })
    // If an assertion below fails, this is not awaited.
    saving.catch(() => {})
    do {
      const { items } = await store.listMessages(key)
      assert.equal(items.length % 4, 0)
      await new Promise((resolve) => setImmediate(resolve))
    } while (isSaving)
    await saving
    assert.equal((await store.listMessages(key)).items.length, 60)
  },
}
