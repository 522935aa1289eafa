import { ScriptedModel } from '@millrace/testing'
import type { ModelMessage as AIModelMessage } from 'ai'
import { describe, expect, test } from 'vitest'
import { Agent } from '../agent/agent.ts'
import type { MillraceError } from '../errors.ts'
import type { AgentInput } from './agent-input.ts'
import { parseInput, userMessage } from './input.ts'
import type { Message, UIMessage } from './message.ts'

async function partsOf(input: AgentInput): Promise<unknown[][]> {
  return (await parseInput(input)).messages.map(({ content }) => content.parts)
}

async function faultOf(input: unknown): Promise<MillraceError> {
  try {
    await parseInput(input as AgentInput)
  } catch (error) {
    return error as MillraceError
  }
  throw new Error('Nothing was thrown.')
}

test('a string is one user message', async () => {
  const { messages, systemMessages } = await parseInput('Hello')
  expect(messages).toEqual([
    {
      id: expect.any(String),
      role: 'user',
      content: { parts: [{ type: 'text', text: 'Hello' }] },
      createdAt: expect.any(Date),
    },
  ])
  expect(systemMessages).toEqual([])
  expect((await parseInput('Hello')).messages[0]?.id).not.toBe(messages[0]?.id)
})

test('messages are copied unchanged, system messages are separated', async () => {
  const first = userMessage('Hello')
  const system: Message = {
    ...userMessage('Be brief.'),
    role: 'system',
    content: { parts: [{ type: 'text', text: 'Be brief.', providerMetadata: { a: { cache: true } } }] },
  }
  const { messages, systemMessages } = await parseInput([system, first])
  expect(messages[0]).toEqual(first)
  expect(systemMessages).toEqual([
    { role: 'system', content: 'Be brief.', providerOptions: { a: { cache: true } } },
  ])
})

test('UI messages keep their id and parts, and their metadata as the client’s', async () => {
  const ui: UIMessage = {
    id: 'u1',
    role: 'user',
    metadata: { device: 'phone' },
    parts: [
      { type: 'text', text: 'Hello' },
      { type: 'data-place', data: { city: 'Oslo' } },
    ],
  }
  const [message] = (await parseInput([ui])).messages
  expect(message).toMatchObject({
    id: 'u1',
    role: 'user',
    content: { metadata: { client: { device: 'phone' } } },
  })
  expect(message?.content.parts).toEqual(ui.parts)
  expect((await parseInput([{ role: 'user', parts: [] } as never])).messages[0]?.id).toEqual(
    expect.any(String),
  )
})

describe('model messages', () => {
  test('with plain text in every role', async () => {
    const { messages, systemMessages } = await parseInput([
      { role: 'system', content: 'Be brief.', providerOptions: { a: { cache: true } } },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi' },
    ])
    expect(systemMessages).toEqual([
      { role: 'system', content: 'Be brief.', providerOptions: { a: { cache: true } } },
    ])
    expect(messages.map(({ role, content }) => [role, content.parts])).toEqual([
      ['user', [{ type: 'text', text: 'Hello' }]],
      ['assistant', [{ type: 'text', text: 'Hi' }]],
    ])
  })

  test('of a tool loop become one message of several steps', async () => {
    const loop: AIModelMessage[] = [
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'Hm.', providerOptions: { a: { signature: 's' } } },
          { type: 'text', text: 'Let me see.' },
          { type: 'tool-call', toolCallId: '1', toolName: 'weather', input: { city: 'Oslo' } },
          {
            type: 'tool-call',
            toolCallId: '2',
            toolName: 'weather',
            input: { city: 'Rome' },
            providerOptions: { a: { id: 'x' } },
          },
        ],
      },
      {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: '1',
            toolName: 'weather',
            output: { type: 'text', value: 'Rain' },
          },
          {
            type: 'tool-result',
            toolCallId: '2',
            toolName: 'weather',
            output: { type: 'json', value: { sun: true } },
          },
        ],
      },
      { role: 'assistant', content: 'Rain in Oslo.' },
      { role: 'user', content: 'Thanks.' },
    ]
    expect(await partsOf(loop)).toEqual([
      [{ type: 'text', text: 'Weather?' }],
      [
        { type: 'reasoning', text: 'Hm.', providerMetadata: { a: { signature: 's' } } },
        { type: 'text', text: 'Let me see.' },
        {
          type: 'tool-weather',
          toolCallId: '1',
          state: 'output-available',
          input: { city: 'Oslo' },
          output: 'Rain',
        },
        {
          type: 'tool-weather',
          toolCallId: '2',
          state: 'output-available',
          input: { city: 'Rome' },
          output: { sun: true },
          callProviderMetadata: { a: { id: 'x' } },
        },
        { type: 'step-start' },
        { type: 'text', text: 'Rain in Oslo.' },
      ],
      [{ type: 'text', text: 'Thanks.' }],
    ])
  })

  test('with errors, denials and content as results', async () => {
    const call = (id: string) => ({ type: 'tool-call' as const, toolCallId: id, toolName: 't', input: {} })
    const result = (id: string, output: any) => ({
      type: 'tool-result' as const,
      toolCallId: id,
      toolName: 't',
      output,
    })
    const content = { type: 'content', value: [{ type: 'text', text: 'Look:' }] }
    const [parts] = await partsOf([
      { role: 'assistant', content: ['1', '2', '3', '4', '5'].map(call) },
      {
        role: 'tool',
        content: [
          result('1', { type: 'error-text', value: 'Out of paper.' }),
          result('2', { type: 'error-json', value: { code: 7 } }),
          result('3', { type: 'execution-denied', reason: 'Not now.' }),
          result('4', { type: 'execution-denied' }),
          result('5', content),
        ],
      },
    ])
    expect(parts).toMatchObject([
      { state: 'output-error', errorText: 'Out of paper.' },
      { state: 'output-error', errorText: '{"code":7}' },
      { state: 'output-denied', approval: { approved: false, reason: 'Not now.' } },
      { state: 'output-denied', approval: { approved: false } },
      { state: 'output-available', output: content },
    ])
  })

  test('with a result that the provider sent within the answer', async () => {
    const [parts] = await partsOf([
      {
        role: 'assistant',
        content: [
          {
            type: 'tool-call',
            toolCallId: '1',
            toolName: 'search',
            input: { q: 'x' },
            providerExecuted: true,
          },
          { type: 'tool-result', toolCallId: '1', toolName: 'search', output: { type: 'json', value: [1] } },
          { type: 'text', text: 'Found.' },
        ],
      },
    ])
    expect(parts).toEqual([
      {
        type: 'tool-search',
        toolCallId: '1',
        state: 'output-available',
        input: { q: 'x' },
        output: [1],
        providerExecuted: true,
      },
      { type: 'text', text: 'Found.' },
    ])
  })

  const bytes = new Uint8Array([104, 105])
  test.each([
    ['bytes', bytes, { url: 'data:image/png;base64,aGk=' }],
    ['an ArrayBuffer', bytes.buffer, { url: 'data:image/png;base64,aGk=' }],
    ['base64', 'aGk=', { url: 'data:image/png;base64,aGk=' }],
    ['a data URL', 'data:image/png;base64,aGk=', { url: 'data:image/png;base64,aGk=' }],
    ['a URL as a string', 'https://example.com/a.png', { url: 'https://example.com/a.png' }],
    ['a URL', new URL('https://example.com/a.png'), { url: 'https://example.com/a.png' }],
    ['tagged bytes', { type: 'data', data: bytes }, { url: 'data:image/png;base64,aGk=' }],
    ['tagged base64', { type: 'data', data: 'aGk=' }, { url: 'data:image/png;base64,aGk=' }],
    [
      'a tagged URL',
      { type: 'url', url: new URL('https://example.com/a') },
      { url: 'https://example.com/a' },
    ],
    ['a provider reference', { openai: 'file-1' }, { url: '', providerReference: { openai: 'file-1' } }],
    [
      'a tagged provider reference',
      { type: 'reference', reference: { openai: 'file-1' } },
      { url: '', providerReference: { openai: 'file-1' } },
    ],
  ] as [string, any, object][])('with a file as %s', async (_, data, expected) => {
    const file = { type: 'file', mediaType: 'image/png', filename: 'a.png', data } as const
    const part = { type: 'file', mediaType: 'image/png', filename: 'a.png', ...expected }
    expect(await partsOf([{ role: 'user', content: [file] }])).toEqual([[part]])
    expect(await partsOf([{ role: 'assistant', content: [file] }])).toEqual([[part]])
  })

  test('with images, which are files', async () => {
    expect(
      await partsOf([
        {
          role: 'user',
          content: [{ type: 'image', image: bytes, providerOptions: { a: { detail: 'low' } } }],
        },
      ]),
    ).toEqual([
      [
        {
          type: 'file',
          mediaType: 'image',
          url: 'data:image;base64,aGk=',
          providerMetadata: { a: { detail: 'low' } },
        },
      ],
    ])
  })

  test('with a large file keeps every byte', async () => {
    const large = new Uint8Array(200_000).map((_, index) => index % 251)
    const [[part]] = (await partsOf([
      { role: 'user', content: [{ type: 'file', mediaType: 'application/pdf', data: large }] },
    ])) as [[{ url: string }]]
    expect(Buffer.from(part.url.split(',')[1] ?? '', 'base64').equals(large)).toBe(true)
  })

  test.each(['/uploads/a.png', 'a.png', 'data:text/plain,100%'])(
    'with a file at an invalid URL are refused, and the error names it: %s',
    async (url) => {
      const agent = new Agent({ model: new ScriptedModel([]) })
      const input: AgentInput = [
        { id: 'a', role: 'user', parts: [{ type: 'file', mediaType: 'text/plain', url }] },
      ]
      await expect(agent.generate(input)).rejects.toMatchObject({ code: 'RUN_INPUT_INVALID' })
    },
  )

  test('keep provider options of messages and of tool results', async () => {
    const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } }
    const model = new ScriptedModel(['x'])
    await new Agent({ model }).generate(
      [
        { role: 'user', content: 'Hi', providerOptions },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 't', input: {} }] },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: '1',
              toolName: 't',
              output: { type: 'text', value: 'x' },
              providerOptions,
            },
          ],
        },
      ],
      { trusted: true },
    )
    expect(JSON.stringify(model.lastPrompt).split('cacheControl')).toHaveLength(3)
  })

  test('with images in a tool result send them as files', async () => {
    const model = new ScriptedModel(['x'])
    const output = {
      type: 'content',
      value: [
        { type: 'text', text: 'a' },
        { type: 'image-data', data: 'aGk=', mediaType: 'image/png' },
      ],
    }
    await new Agent({ model }).generate(
      [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 't', input: {} }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', toolName: 't', output }] },
      ] as AgentInput,
      { trusted: true },
    )
    expect(model.lastPrompt.at(-1)).toMatchObject({
      content: [{ output: { type: 'content', value: [{ type: 'text' }, { type: 'file' }] } }],
    })
  })

  test('next to our own messages do not change those', async () => {
    const own: Message = { ...userMessage('x'), role: 'assistant' }
    await parseInput([own, { role: 'assistant', content: 'y' }] as AgentInput)
    expect(own.content.parts).toHaveLength(1)
  })

  test("do not change the caller's objects", async () => {
    const input: AIModelMessage[] = [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 't', input: {} }] },
      {
        role: 'tool',
        content: [
          { type: 'tool-result', toolCallId: '1', toolName: 't', output: { type: 'text', value: 'x' } },
        ],
      },
    ]
    const before = structuredClone(input)
    await parseInput(input)
    expect(input).toEqual(before)
  })
})

describe('invalid elements are refused, and the error names the element', () => {
  test.each([
    [7, /number/],
    [null, /null/],
    [undefined, /undefined/],
    [{ role: 'user', content: 'Hello' }, /object/],
    [[userMessage('a'), 'b'], /element 1.*string/],
    [[{ role: 'robot', content: 'Hello' }], /element 0.*role, content/],
    [[userMessage('a'), { text: 'b' }], /element 1.*text/],
    [
      [
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'lost', toolName: 't', output: { type: 'text', value: '' } },
          ],
        },
      ],
      /'lost'/,
    ],
  ])('%j', async (input, message) => {
    const error = await faultOf(input)
    expect(error.code).toBe('RUN_INPUT_INVALID')
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('Hello')
  })
})
