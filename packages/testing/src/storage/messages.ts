import type { Message } from '@millrace/core'
import { assert } from './assert.ts'
import { idsOf, sampleMessage, sampleMessages } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }

export const messages: StorageRules = {
  'returns messages as they were saved, with their thread and resource': async ({ store }) => {
    const saved: Message[] = [
      sampleMessage('a', 'Question', {
        content: { parts: [{ type: 'text', text: 'Question' }], metadata: { lang: 'en' } },
      }),
      sampleMessage('b', '', {
        role: 'assistant',
        content: {
          parts: [
            { type: 'step-start' },
            { type: 'reasoning', text: 'Hm', providerMetadata: { example: { signature: 'abc=' } } },
            { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
            {
              type: 'dynamic-tool',
              toolName: 'weather',
              toolCallId: 'call-1',
              state: 'output-available',
              input: { city: 'Oslo' },
              output: { rain: [0, 1.5, null, true], nested: { '': {} } },
            },
            { type: 'text', text: 'Answer', providerMetadata: { example: { id: 7 } } },
          ],
        },
      }),
      sampleMessage('c', 'Rules', { role: 'system' }),
      sampleMessage('d', '', { content: { parts: [] } }),
    ]
    await store.saveMessages({
      ...key,
      messages: saved.map((message) => ({ ...message, threadId: 'x', resourceId: 'y' })),
    })
    const { items } = await store.listMessages(key)
    assert.deepEqual(
      items.map(({ message }) => message),
      saved.map((message) => ({ ...message, ...key })),
    )
    await store.saveMessages({ threadId: 'nobodys', messages: saved.slice(0, 1) })
    const [found] = (await store.listMessages({ threadId: 'nobodys' })).items
    assert.deepEqual(found?.message, { ...saved[0], threadId: 'nobodys' })
  },

  'creates the thread with its first messages, and counts them': async ({ store }) => {
    const thread = await store.saveMessages({
      ...key,
      messages: sampleMessages(2),
      thread: { title: 'Plans', metadata: { color: 'red' } },
    })
    assert.deepEqual(
      { ...thread, createdAt: 0, updatedAt: 0 },
      {
        id: 'thread',
        resourceId: 'ada',
        title: 'Plans',
        metadata: { color: 'red' },
        state: {},
        version: 1,
        messageCount: 2,
        createdAt: 0,
        updatedAt: 0,
      },
    )
    assert.deepEqual(await store.getThread(key), thread)
    assert.equal((await store.saveMessages({ ...key, messages: sampleMessages(3) })).messageCount, 3)
    await store.deleteMessages({ ...key, messageIds: ['message-1'] })
    assert.equal((await store.getThread(key))?.messageCount, 2)
    assert.equal((await store.saveMessages({ threadId: 'empty', messages: [] })).messageCount, 0)
    assert.equal((await store.getThread({ threadId: 'empty' }))?.id, 'empty')
  },

  'replaces a message with the same id in its place': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(3) })
    const edited = sampleMessage('message-1', 'Edited', { role: 'assistant', createdAt: new Date(0) })
    const thread = await store.saveMessages({ ...key, messages: [edited] })
    assert.equal(thread.messageCount, 3)
    const { items } = await store.listMessages(key)
    assert.deepEqual(idsOf(items), ['message-0', 'message-1', 'message-2'])
    const { createdAt } = sampleMessage('any')
    assert.deepEqual(items[1]?.message, { ...edited, ...key, createdAt })
  },

  'keeps messages with the same id in two threads apart': async ({ store }) => {
    for (const threadId of ['a', 'b']) {
      await store.saveMessages({ threadId, messages: [sampleMessage('same', `In ${threadId}`)] })
    }
    await store.deleteMessages({ threadId: 'a', messageIds: ['same'] })
    assert.deepEqual(idsOf((await store.listMessages({ threadId: 'a' })).items), [])
    const [left] = (await store.listMessages({ threadId: 'b' })).items
    assert.deepEqual(left?.message.content.parts, [{ type: 'text', text: 'In b' }])
  },

  'returns single messages with their neighbors, each once, grouped by thread': async ({ store }) => {
    for (const threadId of ['a', 'b'])
      await store.saveMessages({ threadId, messages: sampleMessages(6, threadId) })
    const get = async (ids: string[], around: { previous?: number; next?: number } = {}): Promise<string[]> =>
      idsOf(
        await store.getMessages({
          messages: ids.map((messageId) => ({ threadId: messageId.slice(0, 1), messageId })),
          ...around,
        }),
      )
    assert.deepEqual(await get([]), [])
    assert.deepEqual(await get(['b-4', 'a-3', 'b-1', 'b-4']), ['b-1', 'b-4', 'a-3'])
    assert.deepEqual(await get(['a-0', 'a-5'], { previous: 1, next: 1 }), ['a-0', 'a-1', 'a-4', 'a-5'])
    assert.deepEqual(await get(['a-1', 'a-3'], { previous: 1, next: 1 }), ['a-0', 'a-1', 'a-2', 'a-3', 'a-4'])
    assert.deepEqual(await get(['a-2'], { previous: 100 }), ['a-0', 'a-1', 'a-2'])
    assert.deepEqual(await get(['a-2'], { next: 1 }), ['a-2', 'a-3'])
    assert.deepEqual(await get(['a-9', 'c-0', 'b-0']), ['b-0'])
    // Neighbors are determined by the thread, also after messages between them were deleted.
    await store.deleteMessages({ threadId: 'a', messageIds: ['a-1', 'a-2'] })
    assert.deepEqual(await get(['a-3'], { previous: 1 }), ['a-0', 'a-3'])
  },

  'removes the messages after a given one when it saves a repeated turn': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(5) })
    const messages = [sampleMessage('new')]
    const thread = await store.saveMessages({ ...key, messages, deleteAfter: 'message-1' })
    assert.equal(thread.messageCount, 3)
    assert.deepEqual(idsOf((await store.listMessages(key)).items), ['message-0', 'message-1', 'new'])
    await store.saveMessages({ ...key, messages: [sampleMessage('newer')], deleteAfter: 'message-4' })
    assert.deepEqual(idsOf((await store.listMessages(key)).items), ['message-0', 'message-1', 'new', 'newer'])
    // A removed message can be saved again: at the end.
    await store.saveMessages({
      ...key,
      messages: [sampleMessage('message-1'), sampleMessage('new')],
      deleteAfter: 'message-0',
    })
    assert.deepEqual(idsOf((await store.listMessages(key)).items), ['message-0', 'message-1', 'new'])
  },

  'returns how many messages it removed': async ({ store }) => {
    await store.saveMessages({ ...key, messages: sampleMessages(3) })
    const messageIds = ['message-0', 'message-2', 'message-2', 'nonesuch']
    assert.equal(await store.deleteMessages({ ...key, messageIds }), 2)
    assert.equal(await store.deleteMessages({ ...key, messageIds }), 0)
    assert.equal(await store.deleteMessages({ ...key, messageIds: [] }), 0)
    assert.deepEqual(idsOf((await store.listMessages(key)).items), ['message-1'])
  },

  'stores copies, which later edits of the objects do not change': async ({ store }) => {
    const message = sampleMessage('a', 'Before')
    const metadata = { list: [1] }
    await store.saveMessages({ ...key, messages: [message], thread: { metadata } })
    const edit = (edited: Message): void => {
      edited.content.parts = []
      edited.createdAt.setTime(0)
    }
    edit(message)
    metadata.list.push(2)
    for (const stored of (await store.listMessages(key)).items) edit(stored.message)
    for (const stored of await store.getMessages({
      resourceId: key.resourceId,
      messages: [{ threadId: key.threadId, messageId: 'a' }],
    }))
      edit(stored.message)
    const thread = await store.getThread(key)
    thread?.createdAt.setTime(0)
    if (thread) thread.metadata.list = []
    assert.deepEqual((await store.getThread(key))?.metadata, { list: [1] })
    assert.notEqual((await store.getThread(key))?.createdAt.getTime(), 0)
    const [{ message: found } = {}] = (await store.listMessages(key)).items
    assert.deepEqual(found, { ...sampleMessage('a', 'Before'), ...key })
  },
}
