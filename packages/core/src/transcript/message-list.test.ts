import { describe, expect, test } from 'vitest'
import type { MillraceError } from '../errors.ts'
import { userMessage } from '../messages/input.ts'
import type { Message } from '../messages/message.ts'
import { MessageList } from './message-list.ts'

function message(id: string, role: Message['role'] = 'user', text = id): Message {
  return { id, role, content: { parts: [{ type: 'text', text }] }, createdAt: new Date(0) }
}

function ids(list: Iterable<Message>): string {
  return [...list].map(({ id }) => id).join(' ')
}

function faultOf(action: () => unknown): MillraceError {
  try {
    action()
  } catch (error) {
    return error as MillraceError
  }
  throw new Error('Nothing was thrown.')
}

describe('a message list', () => {
  test('keeps messages in order, each with its origin', () => {
    const list = new MessageList()
      .add([message('u1'), message('u2')], 'input')
      .add(message('a1', 'assistant'), 'response')
    expect(ids(list)).toBe('u1 u2 a1')
    expect(ids(list.get())).toBe('u1 u2 a1')
    expect(ids(list.get('input'))).toBe('u1 u2')
    expect(ids(list.get('response'))).toBe('a1')
    expect(list.get('remembered')).toEqual([])
    expect(list.originOf('u2')).toBe('input')
    expect(list.originOf('nobody')).toBeUndefined()
    expect(list.length).toBe(3)
    expect(list.last?.id).toBe('a1')
    expect(list.find('u2')?.id).toBe('u2')
    expect(list.find('nobody')).toBeUndefined()
    expect(list.has('a1')).toBe(true)
  })

  test('inserts remembered and context messages before the input, in the given order', () => {
    const list = new MessageList().add([message('u1')], 'input')
    list.add([message('r1'), message('r2')], 'remembered')
    list.add(message('c1'), 'context')
    list.add(message('a1', 'assistant'), 'response')
    list.add(message('r3'), 'remembered')
    expect(ids(list)).toBe('r1 r2 c1 r3 u1 a1')
  })

  test('appends everything if there is no input', () => {
    const list = new MessageList()
      .add(message('a1', 'assistant'), 'response')
      .add(message('r1'), 'remembered')
    expect(ids(list)).toBe('a1 r1')
  })

  test('returns new arrays of the live objects', () => {
    const first = message('u1')
    const list = new MessageList().add(first, 'input')
    list.get().push(message('u2'))
    expect(list.length).toBe(1)
    expect(list.get()[0]).toBe(first)
  })

  test('refuses an existing id, and adds nothing then', () => {
    const list = new MessageList().add(message('u1'), 'input')
    const error = faultOf(() => list.add([message('u2'), message('u1')], 'input'))
    expect(error.code).toBe('RUN_MESSAGE_DUPLICATE')
    expect(error.message).toContain("'u1'")
    expect(ids(list)).toBe('u1')
    expect(list.has('u2')).toBe(false)
    list.add(message('u2'), 'input')
  })

  test('refuses the same id twice in one call', () => {
    const list = new MessageList()
    for (const call of [
      () => list.add([message('a'), message('a')], 'input'),
      () => list.set([message('a'), message('a')]),
    ])
      expect(faultOf(call).code).toBe('RUN_MESSAGE_DUPLICATE')
    expect(list.length).toBe(0)
  })

  test('replaces a message at its position and keeps its origin', () => {
    const list = new MessageList()
      .add([message('r1')], 'remembered')
      .add([message('u1'), message('u2')], 'input')
    list.replace(message('u1', 'user', 'new')).replace(message('r1', 'user', 'new'))
    expect(ids(list)).toBe('r1 u1 u2')
    expect(list.find('u1')?.content.parts).toEqual([{ type: 'text', text: 'new' }])
    expect(list.originOf('r1')).toBe('remembered')
  })

  test('appends a replacement whose id is new, with the origin of its role', () => {
    const list = new MessageList().replace(message('u1')).replace(message('a1', 'assistant'))
    expect(ids(list)).toBe('u1 a1')
    expect([list.originOf('u1'), list.originOf('a1')]).toEqual(['input', 'response'])
  })

  test('merges by id: replaces, appends, and removes nothing', () => {
    const list = new MessageList().add([message('u1'), message('u2')], 'input')
    list.merge([message('u2', 'user', 'new'), message('a1', 'assistant')])
    expect(ids(list)).toBe('u1 u2 a1')
    expect(list.originOf('a1')).toBe('response')
    expect(list.merge([]).length).toBe(3)
  })

  test('sets the whole list in the given order, keeps known origins and removes the rest', () => {
    const list = new MessageList()
      .add(message('r1'), 'remembered')
      .add([message('u1'), message('u2')], 'input')
    list.set([message('u2'), message('r1'), message('new', 'assistant')])
    expect(ids(list)).toBe('u2 r1 new')
    expect([list.originOf('r1'), list.originOf('new'), list.originOf('u1')]).toEqual([
      'remembered',
      'response',
      undefined,
    ])
    list.add(message('u1'), 'input')
  })

  test('removes messages of any origin and ignores unknown ids', () => {
    const list = new MessageList()
      .add(message('r1'), 'remembered')
      .add([message('u1'), message('u2')], 'input')
      .add(message('a1', 'assistant'), 'response')
    list.remove(['r1', 'a1', 'nobody']).remove('u1')
    expect(ids(list)).toBe('u2')
    expect(list.has('r1')).toBe(false)
    list.add(message('r1'), 'remembered')
    expect(ids(list)).toBe('r1 u2')
  })

  test('converts to UI messages that share their parts, and to a prompt', async () => {
    const first = {
      ...message('u1'),
      content: { parts: message('u1').content.parts, metadata: { client: { tag: 1 }, plan: 'free' } },
    }
    const list = new MessageList().add(first, 'input')
    expect(list.toUIMessages()).toEqual([
      { id: 'u1', role: 'user', metadata: { tag: 1 }, parts: [{ type: 'text', text: 'u1' }] },
    ])
    expect(list.toUIMessages()[0]?.parts).toBe(first.content.parts)
    expect(await list.toPrompt({ systemMessages: [{ role: 'system', content: 'Be brief.' }] })).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'u1' }] },
    ])
  })
})

describe('a value that is not a message', () => {
  const known = userMessage('Hello')
  const none: [string, unknown, RegExp][] = [
    [
      'content that is a string',
      { ...userMessage('x'), id: 'm1', content: 'x' },
      /'m1' has no content of parts: content must be \{ parts/,
    ],
    ['no content', { id: 'm1', role: 'user' }, /'m1' has no content/],
    ['parts that are no list', { id: 'm1', role: 'user', content: { parts: 'x' } }, /'m1' has no content/],
    [
      'a part that is null',
      { id: 'm1', role: 'user', content: { parts: [null] } },
      /'m1' has no part with a type at 0/,
    ],
    [
      'a text that is none',
      { id: 'm1', role: 'user', content: { parts: [{ type: 'text' }] } },
      /'m1' .*text at 0/,
    ],
    ['no id', { role: 'user', content: { parts: [] } }, /has no id/],
    ['another role', { id: 'm1', role: 'tool', content: { parts: [] } }, /'m1' has no role/],
    ['a string', 'Hello', /is not an object/],
    ['null', null, /is not an object/],
    ['undefined', undefined, /is not an object/],
  ]

  test.each(none)('%s, is an error that names it, and nothing changes', (_, message, expected) => {
    const list = new MessageList().add(known, 'input')
    const calls: [string, () => unknown][] = [
      ['add', () => list.add(message as Message, 'context')],
      ['add', () => list.add([userMessage('other'), message as Message], 'context')],
      ['replace', () => list.replace(message as Message)],
      ['merge', () => list.merge([userMessage('other'), message as Message])],
      ['set', () => list.set([message as Message])],
    ]
    for (const [method, call] of calls) {
      expect(call).toThrow(
        expect.objectContaining({ code: 'RUN_MESSAGE_INVALID', message: expect.stringMatching(expected) }),
      )
      expect(call).toThrow(`messageList.${method}()`)
    }
    expect(list.get()).toEqual([known])
  })

  test('a value that is not a list, too', () => {
    const list = new MessageList()
    expect(() => list.set('x' as never)).toThrow(expect.objectContaining({ code: 'RUN_MESSAGE_INVALID' }))
    expect(() => list.merge(null as never)).toThrow(expect.objectContaining({ code: 'RUN_MESSAGE_INVALID' }))
  })
})
