import { assert } from './assert.ts'
import { idsOf, sampleMessage } from './sample-message.ts'
import type { StorageRules } from './storage-rule.ts'

const key = { threadId: 'thread', resourceId: 'ada' }

const TEXTS: readonly string[] = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00\ud800',
  'half 😀'.slice(0, -1),
  '😀👩‍👩‍👧‍👦',
  '東京',
  'مرحبا',
  'e\u0301 é',
  '\u202eabc',
  '\ufeff',
  '\u2028\u2029',
  '\r\n\t',
  "'; DROP TABLE messages; --",
  '"\\"',
  '\\u0000',
  '{"a":',
  '%s $1 ? :a',
  '<script>',
  '\u0001\u001f\u007f',
  '\uffff\ufffe',
]

export const content: StorageRules = {
  'gives back every text as it was saved': async ({ store }) => {
    const messages = TEXTS.map((text, index) =>
      sampleMessage(`${index}`, text, {
        content: { parts: [{ type: 'text', text }], metadata: { [text]: text } },
      }),
    )
    await store.saveMessages({ ...key, messages })
    const { items } = await store.listMessages(key)
    assert.deepEqual(
      items.map(({ message }) => message),
      messages.map((message) => ({ ...message, ...key })),
    )
    for (const text of TEXTS) {
      const { state, metadata } = await store.saveThread({
        ...key,
        state: { [text]: text },
        metadata: { text },
      })
      assert.deepEqual({ state, metadata }, { state: { [text]: text }, metadata: { text } })
      const resource = await store.saveResource({ resourceId: 'ada', state: { [text]: [text] } })
      assert.deepEqual(resource.state, { [text]: [text] })
    }
  },

  'gives back a title as it was saved, and mends half characters': async ({ store }) => {
    for (const title of TEXTS.filter((text) => !text.includes('\0'))) {
      assert.equal((await store.saveThread({ ...key, title })).title, title.toWellFormed())
      assert.equal((await store.getThread(key))?.title, title.toWellFormed())
    }
  },

  'gives back every value JSON has': async ({ store }) => {
    const metadata = {
      numbers: [0, -1, 1.5, 1e-300, 1.7976931348623157e308, 9_007_199_254_740_991, 0.1],
      nested: { a: { b: [[], {}, [null, true, false]] } },
      strange: { '': 1, ' ': 2, 'a.b': 3, $: 4, '"': 5, constructor: 6, length: 7 },
      long: Array.from({ length: 1_000 }, (_, index) => index),
    }
    // An own property of that name, as JSON.parse makes it.
    const strange = JSON.parse('{"__proto__":{"a":1},"b":2}') as Record<string, unknown>
    const message = sampleMessage('a', 'x', { content: { parts: [{ type: 'text', text: 'x' }], metadata } })
    await store.saveMessages({ ...key, messages: [message], thread: { metadata: strange } })
    assert.deepEqual((await store.listMessages(key)).items[0]?.message.content.metadata, metadata)
    assert.deepEqual((await store.getThread(key))?.metadata, strange)
    let deep: Record<string, unknown> = {}
    for (let depth = 0; depth < 500; depth++) deep = { deep }
    assert.deepEqual((await store.saveThread({ ...key, state: deep })).state, deep)
    // What JSON leaves out is left out, and what it turns into text is text.
    const { state } = await store.saveThread({ ...key, state: { gone: undefined, date: new Date(0) } })
    assert.deepEqual(state, { date: '1970-01-01T00:00:00.000Z' })
  },

  'keeps messages of a megabyte, and finds them': async ({ store }) => {
    const text = `umbrella ${'The mill turns by the river. 東京 '.repeat(30_000)}lighthouse`
    assert.ok(text.length > 900_000)
    await store.saveMessages({
      ...key,
      messages: [sampleMessage('large', text), sampleMessage('small', 'hat')],
    })
    const { items } = await store.listMessages(key)
    assert.deepEqual(items[0]?.message.content.parts, [{ type: 'text', text }])
    // One word without an end, of letters and of a script without spaces.
    for (const letter of ['x', '東']) {
      await store.saveMessages({ ...key, messages: [sampleMessage(letter, letter.repeat(1_000_000))] })
    }
    assert.equal((await store.getThread(key))?.messageCount, 4)
    if (!store.capabilities.search) return
    for (const query of ['umbrella', 'lighthouse']) {
      assert.deepEqual(idsOf(await store.searchMessages({ resourceId: 'ada', query })), ['large'])
    }
  },

  'keeps a thousand messages saved at once': async ({ store }) => {
    const messages = Array.from({ length: 1_000 }, (_, index) => sampleMessage(`${index}`))
    await store.saveMessages({ ...key, messages })
    const { items } = await store.listMessages({ ...key, limit: 2_000 })
    assert.deepEqual(
      idsOf(items),
      messages.map(({ id }) => id),
    )
    const asked = messages.map(({ id }) => ({ threadId: 'thread', messageId: id }))
    assert.equal((await store.getMessages({ resourceId: 'ada', messages: asked })).length, 1_000)
    assert.equal(await store.deleteMessages({ ...key, messageIds: messages.map(({ id }) => id) }), 1_000)
  },
}
