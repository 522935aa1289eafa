import { describe, expect, test } from 'vitest'
import { parseUIMessages } from './parse-ui-messages.ts'

const user = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }
const assistant = { id: 'a', role: 'assistant', parts: [] }

describe('what a chat client sent', () => {
  test('is accepted with only id, role, parts and metadata', () => {
    const given = { ...user, metadata: { lang: 'en' }, createdAt: 'now', content: 'x', providerOptions: {} }
    expect(parseUIMessages([given, assistant])).toStrictEqual([
      { ...user, metadata: { lang: 'en' } },
      assistant,
    ])
    expect(parseUIMessages([])).toEqual([])
  })

  test('is copied including its parts', () => {
    const [parsed] = parseUIMessages([user])
    parsed?.parts.push({ type: 'step-start' })
    expect(user.parts).toHaveLength(1)
  })

  test.each<[string, unknown, RegExp]>([
    ['no list', { messages: [user] }, /found no list\./],
    ['no list at all', undefined, /found no list\./],
    ['a text in the list', [user, 'Hi'], /found no object at 1\./],
    ['null in the list', [null], /found no object at 0\./],
    ['no id', [{ role: 'user', parts: [] }], /found no id at 0\./],
    ['an id that is no text', [{ ...user, id: 7 }], /found no id at 0\./],
    ['an id no store takes', [{ ...user, id: 'x'.repeat(10_000) }], /found no id at 0\./],
    ['an empty id', [{ ...user, id: '' }], /found no id at 0\./],
    ['the same id twice', [user, { ...assistant, id: 'u' }], /found the id of an earlier message at 1\./],
    [
      'a system message',
      [user, { ...user, id: 's', role: 'system' }],
      /system message in element 1.*pass instructions/,
    ],
    ['a message of a tool', [{ ...user, role: 'tool' }], /found no role 'user' or 'assistant' at 0\./],
    ['no role', [{ id: 'u', parts: [] }], /found no role 'user' or 'assistant' at 0\./],
    ['no parts', [{ id: 'u', role: 'user', content: 'Hi' }], /found no list of parts at 0\./],
    ['a part that is none', [{ ...user, parts: ['Hi'] }], /element 0 whose part 0 has no fields/],
    [
      'a part without its text',
      [assistant, { ...user, parts: [{ type: 'text' }] }],
      /element 1 whose part 0/,
    ],
  ])('is refused with what is wrong with it: %s', (_, value, message) => {
    expect(() => parseUIMessages(value)).toThrow(
      expect.objectContaining({ code: 'RUN_INPUT_INVALID', message: expect.stringMatching(message) }),
    )
  })

  test('has a maximum number of messages', () => {
    const messages = Array.from({ length: 3 }, (_, index) => ({ ...user, id: `${index}` }))
    expect(parseUIMessages(messages, { maxMessages: 3 })).toHaveLength(3)
    expect(() => parseUIMessages(messages, { maxMessages: 2 })).toThrow(
      /3 messages, more than 2 \(maxMessages\)/,
    )
    const many = Array.from({ length: 10_001 }, (_, index) => ({ ...user, id: `${index}` }))
    expect(parseUIMessages(many.slice(1))).toHaveLength(10_000)
    expect(() => parseUIMessages(many)).toThrow(/10001 messages, more than 10000/)
  })
})
