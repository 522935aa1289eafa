import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../messages/message.ts'
import { parseSaveMessages } from './message-arguments.ts'
import { indexTerms } from './search-terms.ts'

const key = { threadId: 'thread' }

function message(id: string, text: string): Message {
  return { id, role: 'user', content: { parts: [{ type: 'text', text }] }, createdAt: new Date(0) }
}

test('the error contains the size of a text, the maximum, and the option to raise it', () => {
  const messages = [message('long', 'x'.repeat(2_000_000))]
  expect(() => parseSaveMessages({ ...key, messages })).toThrow(
    /'long' takes 2000000 bytes and the store allows 1048576. Raise maxMessageBytes/,
  )
  expect(() => parseSaveMessages({ ...key, messages }, { maxMessageBytes: 2_000_000 })).not.toThrow()
})

test('texts are measured in UTF-8, files are not measured', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.nat({ max: 60 }), (text, maxMessageBytes) => {
      const parts: Message['content']['parts'] = [
        { type: 'text', text },
        { type: 'file', mediaType: 'image/png', url: `data:image/png;base64,${'A'.repeat(400)}` },
      ]
      const messages = [{ ...message('a', ''), content: { parts } }]
      const fits = new TextEncoder().encode(text).length <= maxMessageBytes
      const parse = (): unknown => parseSaveMessages({ ...key, messages }, { maxMessageBytes })
      if (fits) expect(parse).not.toThrow()
      else expect(parse).toThrow('maxMessageBytes')
    }),
  )
})

test('stemming a long text yields to the event loop', async () => {
  const messages = Array.from({ length: 20 }, (_, index) =>
    message(`${index}`, `word${index} the mill turns by the river `.repeat(1_000)),
  )
  const parsed = parseSaveMessages({ ...key, messages })
  let turns = 0
  let isOver = false
  const over = Promise.resolve(parsed).finally(() => {
    isOver = true
  })
  while (!isOver) {
    await new Promise((resolve) => setTimeout(resolve, 0))
    turns++
  }
  expect(turns).toBeGreaterThan(5)
  expect((await over).messages.map(({ terms }) => terms)).toEqual(
    messages.map(({ content: { parts } }) =>
      indexTerms(parts[0]?.type === 'text' ? parts[0].text : '').join(' '),
    ),
  )
})
