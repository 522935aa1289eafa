import type { Message, MessagePart } from '@millrace/core'
import { describe, expect, test } from 'vitest'
import { type ChatMessage, chatOf, readChat } from './codebolt/chat-message.ts'
import { linesOf } from './lines/lines-of-messages.ts'
import { rewrite } from './lines/messages-of-lines.ts'
import { lineOfOasis, oasisMessage } from './oasis/oasis-message.ts'

const createdAt = new Date(0)

function message(id: string, role: Message['role'], parts: MessagePart[]): Message {
  return { id, role, content: { parts, metadata: { kept: id } }, createdAt }
}

const signature = { anthropic: { signature: 'abc' } }

/** One of everything: two steps, files, hidden parts, every kind of result. */
const transcript: Message[] = [
  message('user-1', 'user', [
    { type: 'text', text: 'Look at this.', providerMetadata: { anthropic: { cacheControl: 'on' } } },
    { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA', filename: 'a.png' },
    { type: 'file', mediaType: 'application/pdf', url: '', providerReference: { openai: 'file-1' } },
    { type: 'text', text: 'And this.' },
  ]),
  message('answer', 'assistant', [
    { type: 'step-start' },
    { type: 'reasoning', text: 'Hm.', providerMetadata: signature },
    { type: 'text', text: 'Looking.', providerMetadata: { openai: { itemId: 'msg_1' } } },
    {
      type: 'tool-look',
      toolCallId: 'c1',
      state: 'output-available',
      input: { at: 'image' },
      output: { seen: ['cat'] },
    },
    {
      type: 'tool-search',
      toolCallId: 'p1',
      state: 'output-available',
      input: {},
      output: 'found',
      providerExecuted: true,
    },
    { type: 'source-url', sourceId: 's', url: 'https://example.com' },
    {
      type: 'dynamic-tool',
      toolName: 'fail',
      toolCallId: 'c2',
      state: 'output-error',
      input: {},
      errorText: 'No.',
    },
    { type: 'step-start' },
    { type: 'data-note', data: 1 },
    {
      type: 'tool-drop',
      toolCallId: 'c3',
      state: 'output-denied',
      input: {},
      approval: { id: 'c3', approved: false, reason: 'Forbidden.' },
    },
    { type: 'text', text: 'A cat.' },
  ]),
  message('user-2', 'user', [{ type: 'text', text: 'Thanks.' }]),
]

function open() {
  const known = linesOf(transcript, [{ role: 'system', content: 'Be brief.' }])
  const handed = known.map(({ line }) => chatOf(line))
  return { known, handed }
}

function edit(change: (messages: ChatMessage[]) => ChatMessage[]) {
  const { known, handed } = open()
  return rewrite(known, readChat(known, handed, change([...handed])))
}

const byId = (messages: readonly Message[], id: string) => messages.find((candidate) => candidate.id === id)!

test('a transcript has one line per step and one per result', () => {
  expect(open().handed).toEqual([
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look at this.' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        { type: 'file', file: { file_id: 'provider-file:{"openai":"file-1"}' } },
        { type: 'text', text: 'And this.' },
      ],
    },
    {
      role: 'assistant',
      content: 'Looking.',
      tool_calls: [
        { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"image"}' } },
        { id: 'c2', type: 'function', function: { name: 'fail', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: '{"seen":["cat"]}' },
    { role: 'tool', tool_call_id: 'c2', content: 'No.' },
    {
      role: 'assistant',
      content: 'A cat.',
      tool_calls: [{ id: 'c3', type: 'function', function: { name: 'drop', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c3', content: 'Forbidden.' },
    { role: 'user', content: 'Thanks.' },
  ])
})

describe('an unchanged message is the same object', () => {
  test.each<[string, (messages: ChatMessage[]) => ChatMessage[]]>([
    ['the same array', (messages) => messages],
    ['shallow copies', (messages) => messages.map((item) => ({ ...item }))],
    ['deep copies', (messages) => structuredClone(messages)],
    [
      'another spelling of the same',
      (messages) =>
        messages.map((item) =>
          typeof item.content === 'string'
            ? { ...item, content: [{ type: 'text', text: item.content }] }
            : item,
        ),
    ],
  ])('%s', (_, change) => {
    const rewritten = edit(change)
    expect(rewritten.isChanged).toBe(false)
    expect(rewritten.messages.every((item, index) => item === transcript[index])).toBe(true)
  })

  test('also in Oasis messages', () => {
    const { known } = open()
    for (const { line } of known) {
      expect(lineOfOasis(oasisMessage(line), line)).toEqual(line)
    }
  })

  test('next to its original position', () => {
    const { messages } = edit((all) =>
      all.map((item) => (item.content === 'Thanks.' ? { ...item, content: 'Thank you.' } : item)),
    )
    expect(messages[0]).toBe(transcript[0])
    expect(messages[1]).toBe(transcript[1])
    expect(messages[2]).toEqual({
      ...transcript[2],
      content: { ...transcript[2]!.content, parts: [{ type: 'text', text: 'Thank you.' }] },
    })
  })
})

describe('an edit', () => {
  test('in place or in a copy has the same effect', () => {
    const inPlace = edit((all) => {
      all[2]!.content = 'Seeing.'
      return all
    })
    const copied = edit((all) =>
      structuredClone(all).map((item, index) => (index === 2 ? { ...item, content: 'Seeing.' } : item)),
    )
    expect(inPlace.messages).toEqual(copied.messages)
    const { parts } = byId(inPlace.messages, 'answer').content
    expect(parts[2]).toEqual({ type: 'text', text: 'Seeing.' })
    expect(parts.filter((_, index) => index !== 2)).toEqual(
      transcript[1]!.content.parts.filter((_, index) => index !== 2),
    )
  })

  test('of one of several texts keeps files and the other texts', () => {
    const { messages } = edit((all) => {
      const content = all[1]!.content as { type: string; text: string }[]
      content[3]!.text = 'And that.'
      return all
    })
    const before = transcript[0]!.content.parts
    expect(messages[0]!.content.parts).toEqual([
      before[0],
      before[1],
      before[2],
      { type: 'text', text: 'And that.' },
    ])
    expect(messages[0]!.content.parts[1]).toBe(before[1])
  })

  test('that turns parts into a string drops the files', () => {
    const { messages } = edit((all) =>
      all.map((item, index) => (index === 1 ? { ...item, content: '[removed]' } : item)),
    )
    expect(messages[0]!.content.parts).toEqual([{ type: 'text', text: '[removed]' }])
    expect(messages[0]!.id).toBe('user-1')
  })

  test('of an image adds and removes files', () => {
    const { messages } = edit((all) => {
      all[1]!.content = [
        { type: 'text', text: 'Look at this.' },
        { type: 'image_url', image_url: { url: 'https://example.com/b.jpg' } },
      ]
      return all
    })
    expect(messages[0]!.content.parts).toEqual([
      { ...transcript[0]!.content.parts[0] },
      { type: 'file', mediaType: 'image', url: 'https://example.com/b.jpg' },
    ])
  })

  test('of a result keeps its type', () => {
    const { messages } = edit((all) => {
      for (const item of all) {
        if (item.tool_call_id === 'c1') item.content = '{"seen":["***"]}'
        if (item.tool_call_id === 'c2') item.content = 'Never.'
        if (item.tool_call_id === 'c3') item.content = 'Not allowed.'
      }
      return all
    })
    expect(byId(messages, 'answer').content.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning' },
      { type: 'text' },
      { type: 'tool-look', state: 'output-available', output: { seen: ['***'] } },
      { type: 'tool-search', output: 'found' },
      { type: 'source-url' },
      { type: 'dynamic-tool', toolName: 'fail', state: 'output-error', errorText: 'Never.' },
      { type: 'step-start' },
      { type: 'data-note' },
      { type: 'tool-drop', state: 'output-denied', approval: { approved: false, reason: 'Not allowed.' } },
      { type: 'text', text: 'A cat.' },
    ])
  })

  test('that removes a result leaves its call without one', () => {
    const { messages } = edit((all) => all.filter(({ tool_call_id }) => tool_call_id !== 'c1'))
    expect(byId(messages, 'answer').content.parts[3]).toEqual({
      type: 'tool-look',
      toolCallId: 'c1',
      state: 'input-available',
      input: { at: 'image' },
    })
  })

  test('that removes a call removes its result', () => {
    const { messages } = edit((all) => {
      all[2]!.tool_calls = all[2]!.tool_calls!.slice(1)
      return all
    })
    expect(JSON.stringify(messages)).not.toContain('c1')
    expect(JSON.stringify(messages)).toContain('c2')
  })

  test('that removes a step removes only its own step mark', () => {
    const { messages } = edit((all) => all.filter((_, index) => index !== 2 && index !== 3 && index !== 4))
    expect(byId(messages, 'answer').content.parts).toEqual(transcript[1]!.content.parts.slice(7))
  })

  test('that rewrites everything and drops the start keeps ids of similar texts', () => {
    const { messages } = edit((all) =>
      structuredClone(all.slice(5)).map((item) => ({ ...item, content: `${item.content}!` })),
    )
    expect(messages.map(({ id }) => id)).toEqual(['answer', 'user-2'])
  })

  test('that inserts a message between two steps splits the answer, and the end keeps the id', () => {
    const { messages, added } = edit((all) => [
      ...all.slice(0, 5),
      { role: 'user', content: 'Hurry.' },
      ...all.slice(5),
    ])
    expect(
      messages.map(({ role, id }) => `${role} ${transcript.some((known) => known.id === id) ? id : 'new'}`),
    ).toEqual(['user user-1', 'assistant new', 'user new', 'assistant answer', 'user user-2'])
    expect([...added.values()]).toEqual([transcript[1], undefined])
    expect(messages[1]!.content.parts).toEqual(transcript[1]!.content.parts.slice(0, 7))
    expect(messages[3]!.content.parts).toEqual(transcript[1]!.content.parts.slice(7))
  })

  test('of a system message keeps its provider options', () => {
    const providerOptions = { anthropic: { cacheControl: 'on' } }
    const known = linesOf(transcript, [{ role: 'system', content: 'Be brief.', providerOptions }])
    const handed = known.map(({ line }) => chatOf(line))
    handed[0]!.content = 'Be kind.'
    const { systemMessages } = rewrite(known, readChat(known, handed, handed))
    expect(systemMessages).toEqual([{ role: 'system', content: 'Be kind.', providerOptions }])
  })
})

test.each([
  ['no list', 'nothing' as never],
  ['no role', [{ content: 'x' }] as never],
  ['a tool message without its call', [{ role: 'tool', content: 'x' }] as never],
  ['content that is no text', [{ role: 'user', content: 7 }] as never],
  ['unknown content', [{ role: 'user', content: [{ type: 'video' }] }] as never],
])('%s is rejected', (_, returned) => {
  expect(() => edit(() => returned)).toThrow(TypeError)
})

test('a steering message within an answer is a user message, and keeps its position', () => {
  const steered = message('steered', 'assistant', [
    { type: 'step-start' },
    { type: 'text', text: 'One.' },
    { type: 'steering-message', id: 's', parts: [{ type: 'text', text: 'Faster.' }] },
    { type: 'step-start' },
    { type: 'text', text: 'Two.' },
  ])
  const known = linesOf([steered])
  const handed = known.map(({ line }) => chatOf(line))
  expect(handed.map(({ role, content }) => [role, content])).toEqual([
    ['assistant', 'One.'],
    ['user', 'Faster.'],
    ['assistant', 'Two.'],
  ])
  handed[1]!.content = 'Slower.'
  expect(rewrite(known, readChat(known, handed, handed)).messages[0]!.content.parts[2]).toEqual({
    type: 'steering-message',
    id: 's',
    parts: [{ type: 'text', text: 'Slower.' }],
  })
})
