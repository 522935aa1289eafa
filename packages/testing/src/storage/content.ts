import type { Message } from '@millrace/core'
import { assert, assertRefused } from './assert.ts'
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
  'returns every text as it was saved': async ({ store }) => {
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

  'returns a title as it was saved, with lone surrogates replaced': async ({ store }) => {
    for (const title of TEXTS.filter((text) => !text.includes('\0'))) {
      assert.equal((await store.saveThread({ ...key, title })).title, title.toWellFormed())
      assert.equal((await store.getThread(key))?.title, title.toWellFormed())
    }
  },

  'returns every JSON value as it was saved': async ({ store }) => {
    const metadata = {
      numbers: [0, -1, 1.5, 1e-300, 1.7976931348623157e308, 9_007_199_254_740_991, 0.1],
      nested: { a: { b: [[], {}, [null, true, false]] } },
      strange: { '': 1, ' ': 2, 'a.b': 3, $: 4, '"': 5, constructor: 6, length: 7 },
      long: Array.from({ length: 1_000 }, (_, index) => index),
    }
    // An own property with that name, as `JSON.parse` creates it.
    const strange = JSON.parse('{"__proto__":{"a":1},"b":2}') as Record<string, unknown>
    const message = sampleMessage('a', 'x', { content: { parts: [{ type: 'text', text: 'x' }], metadata } })
    await store.saveMessages({ ...key, messages: [message], thread: { metadata: strange } })
    assert.deepEqual((await store.listMessages(key)).items[0]?.message.content.metadata, metadata)
    assert.deepEqual((await store.getThread(key))?.metadata, strange)
    let deep: Record<string, unknown> = {}
    for (let depth = 0; depth < 500; depth++) deep = { deep }
    assert.deepEqual((await store.saveThread({ ...key, state: deep })).state, deep)
    // Values that JSON omits are omitted, and values that JSON converts to strings are strings.
    const { state } = await store.saveThread({ ...key, state: { gone: undefined, date: new Date(0) } })
    assert.deepEqual(state, { date: '1970-01-01T00:00:00.000Z' })
  },

  'saves and finds messages of a megabyte': async ({ store }) => {
    const text = `umbrella ${'The mill turns by the river. 東京 '.repeat(28_000)}lighthouse`
    assert.ok(text.length > 890_000)
    await store.saveMessages({
      ...key,
      messages: [sampleMessage('large', text), sampleMessage('small', 'hat')],
    })
    const { items } = await store.listMessages(key)
    assert.deepEqual(items[0]?.message.content.parts, [{ type: 'text', text }])
    // A very long word, of letters and of a script without spaces.
    for (const letter of ['x', '東']) {
      await store.saveMessages({ ...key, messages: [sampleMessage(letter, letter.repeat(340_000))] })
    }
    assert.equal((await store.getThread(key))?.messageCount, 4)
    if (!store.capabilities.search) return
    assert.deepEqual(idsOf(await store.searchMessages({ resourceId: 'ada', query: 'umbrella' })), ['large'])
  },

  'finds a long message only by its beginning': async ({ store }) => {
    const filler = 'The mill turns by the river. '
    const texts = {
      beginning: `umbrella ${filler.repeat(1_200)}`,
      middle: `${filler.repeat(600)} umbrella ${filler.repeat(600)}`,
      // 32,768 characters are indexed.
      end: `${filler.repeat(1_130)} umbrella`,
      // 4,096 words are indexed.
      many: `${'a1 '.repeat(4_096)} umbrella`,
      few: `${'a1 '.repeat(4_095)} umbrella`,
    }
    const messages = Object.entries(texts).map(([id, text]) => sampleMessage(id, text))
    await store.saveMessages({ ...key, messages })
    assert.equal((await store.listMessages(key)).items.length, 5)
    if (!store.capabilities.search) return
    const found = await store.searchMessages({ resourceId: 'ada', query: 'umbrella' })
    assert.deepEqual(idsOf(found).toSorted(), ['beginning', 'few', 'middle'])
    // Queries are truncated as well.
    const query = `${'x '.repeat(20_000)} umbrella`
    assert.deepEqual(await store.searchMessages({ resourceId: 'ada', query }), [])
  },

  'refuses a message with more than a mebibyte of text, and saves no other message of the turn': async ({
    store,
  }) => {
    const parts = (...lengths: number[]): Pick<Message, 'content'> => ({
      content: {
        parts: lengths.map((length, index) => ({
          type: index === 0 ? 'text' : 'reasoning',
          text: 'x'.repeat(length),
        })),
      },
    })
    const largest = sampleMessage('largest', '', parts(1_000_000, 48_576))
    const saved = await store.saveMessages({ ...key, messages: [largest] })
    for (const tooLarge of [parts(1_000_000, 48_577), parts(1_048_577)]) {
      const messages = [sampleMessage('first'), sampleMessage('second', '', tooLarge)]
      await assertRefused('STORAGE_MESSAGE_TOO_LARGE', () =>
        store.saveMessages({ ...key, messages, deleteAfter: 'largest', thread: { title: 'New' } }),
      )
    }
    // Measured in bytes of UTF-8.
    const japanese = sampleMessage('japanese', '東'.repeat(349_526))
    await assertRefused('STORAGE_MESSAGE_TOO_LARGE', () =>
      store.saveMessages({ ...key, messages: [japanese] }),
    )
    assert.deepEqual(await store.getThread(key), saved)
    assert.deepEqual(idsOf((await store.listMessages(key)).items), ['largest'])
  },

  'saves a thousand messages in one call': async ({ store }) => {
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
