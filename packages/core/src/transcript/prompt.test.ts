import { matchers } from '@millrace/testing/matchers'
import { type UIMessage as AIUIMessage, convertToModelMessages } from 'ai'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseInput, userMessage } from '../messages/input.ts'
import {
  fromUIMessage,
  type Message,
  type MessagePart,
  type ToolPart,
  toUIMessage,
  type UIMessage,
} from '../messages/message.ts'
import { tool } from '../tools/tool.ts'
import { MessageList } from './message-list.ts'
import { PromptWriter } from './prompt.ts'

expect.extend(matchers)

const metadata = { scripted: { id: 'x' } }

function assistant(...parts: MessagePart[]): Message {
  return { id: crypto.randomUUID(), role: 'assistant', content: { parts }, createdAt: new Date(0) }
}

function user(...parts: MessagePart[]): Message {
  return { id: crypto.randomUUID(), role: 'user', content: { parts }, createdAt: new Date(0) }
}

function call(fields: Partial<ToolPart> & object = {}): ToolPart {
  return {
    type: 'tool-look',
    toolCallId: '1',
    state: 'output-available',
    input: { at: 'sky' },
    output: 'blue',
    ...fields,
  } as ToolPart
}

function prompt(...messages: Message[]) {
  return new PromptWriter().write(messages, {})
}

/** A conversation with every kind of part a model prompt knows. */
function conversation(): UIMessage[] {
  return [
    {
      id: 'u1',
      role: 'user',
      parts: [
        { type: 'text', text: 'Look at this.', providerMetadata: metadata },
        { type: 'file', mediaType: 'image/png', filename: 'a.png', url: 'data:image/png;base64,aGk=' },
        {
          type: 'file',
          mediaType: 'image/png',
          url: 'https://example.com/a.png',
          providerMetadata: metadata,
        },
      ],
    },
    {
      id: 'a1',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'Hm.', providerMetadata: { scripted: { signature: 's' } } },
        { type: 'text', text: 'Let me look.', providerMetadata: metadata },
        call({ callProviderMetadata: metadata }),
        call({ toolCallId: '2', output: { color: 'blue' } } as never),
        call({ toolCallId: '3', state: 'output-error', errorText: 'Too dark.', output: undefined } as never),
        { type: 'step-start' },
        { type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,aGk=' },
        { type: 'text', text: 'Blue.' },
      ],
    },
    { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Thanks.' }] },
  ]
}

describe('a message', () => {
  test('converts to a UI message and back without loss', async () => {
    for (const ui of conversation()) expect(toUIMessage(fromUIMessage(structuredClone(ui)))).toEqual(ui)
  })

  test('converts from a model prompt to the original parts', async () => {
    const messages = conversation().map(fromUIMessage)
    const list = new MessageList().add(messages, 'input')
    const written = await list.toPrompt()
    const { messages: parsed } = await parseInput(written as never)
    const shape = ({ role, content }: Message) => ({
      role,
      parts: content.parts
        .filter((part, index) => part.type !== 'step-start' || index > 0)
        .map((part) => Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined))),
    })
    expect(parsed.map(shape)).toEqual(messages.map(shape))
    expect(await new MessageList().add(parsed, 'input').toPrompt()).toEqual(written)
  })

  test('keeps files, reasoning and provider metadata in the prompt', async () => {
    const written = await prompt(...conversation().map(fromUIMessage))
    expect(written[0]).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'Look at this.', providerOptions: metadata },
        {
          type: 'file',
          mediaType: 'image/png',
          filename: 'a.png',
          data: { type: 'data', data: 'aGk=' },
        },
        {
          type: 'file',
          mediaType: 'image/png',
          data: {
            type: 'url',
            url: new URL('https://example.com/a.png'),
            originalUrl: 'https://example.com/a.png',
          },
          providerOptions: metadata,
        },
      ],
    })
    expect(written[1]).toMatchObject({
      content: [
        { type: 'reasoning', text: 'Hm.', providerOptions: { scripted: { signature: 's' } } },
        { type: 'text', providerOptions: metadata },
        { type: 'tool-call', providerOptions: metadata },
        { type: 'tool-call' },
        { type: 'tool-call' },
      ],
    })
    expect(written).toPairEveryToolCall()
    expect(written.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user'])
  })

  test('sends a file that a provider stores as a reference', async () => {
    const part: MessagePart = {
      type: 'file',
      mediaType: 'application/pdf',
      url: '',
      providerReference: { openai: 'file-1' },
    }
    expect(await prompt(user(part))).toMatchObject([
      { content: [{ data: { type: 'reference', reference: { openai: 'file-1' } } }] },
    ])
  })

  test('sends thinking as reasoning', async () => {
    const thinking = { type: 'thinking', text: 'Hm.', providerMetadata: metadata } as never
    expect(await prompt(assistant(thinking))).toEqual([
      { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.', providerOptions: metadata }] },
    ])
  })

  test('keeps data parts, sources and unknown parts out of the prompt, and in the message', async () => {
    const message = assistant(
      { type: 'data-place', data: { city: 'Oslo' } },
      { type: 'source-url', sourceId: 's', url: 'https://example.com' },
      { type: 'something-new', value: 7 } as never,
      { type: 'text', text: 'Hello.' },
    )
    expect(await prompt(user({ type: 'data-x', data: 1 }), message)).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
    ])
    expect(message.content.parts).toHaveLength(4)
  })

  test.each([
    ['input-available', { state: 'input-available' }],
    ['approval-requested', { state: 'approval-requested', approval: { id: 'a' } }],
    ['approval-responded', { state: 'approval-responded', approval: { id: 'a', approved: true } }],
  ])('with an unanswered call gets one error result: %s', async (_, fields) => {
    const written = await prompt(assistant(call({ ...fields, output: undefined } as never)), user())
    expect(written).toPairEveryToolCall()
    expect(written).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool-call' }] },
      { role: 'tool', content: [{ output: { type: 'error-text' } }] },
    ])
  })

  test('with a call whose input is still streaming is sent without it', async () => {
    expect(await prompt(assistant(call({ state: 'input-streaming', output: undefined } as never)))).toEqual(
      [],
    )
  })

  test('with a denied call contains the denial and its reason', async () => {
    const denied = call({
      state: 'output-denied',
      approval: { id: 'a', approved: false, reason: 'Not now.' },
      output: undefined,
    } as never)
    const written = await prompt(assistant(denied))
    expect(written.at(-1)).toMatchObject({
      content: [{ output: { type: 'execution-denied', reason: 'Not now.' } }],
    })
  })

  test('converts outputs by the tool, as text, as content or as JSON', async () => {
    const content = { type: 'content', value: [{ type: 'text', text: 'seen' }] }
    const outputs: [unknown, unknown][] = [
      ['text', { type: 'text', value: 'text' }],
      [{ a: 1 }, { type: 'json', value: { a: 1 } }],
      [[1], { type: 'json', value: [1] }],
      [null, { type: 'json', value: null }],
      [undefined, { type: 'json', value: null }],
      [content, content],
    ]
    for (const [output, expected] of outputs)
      expect((await prompt(assistant(call({ output } as never)))).at(-1)).toMatchObject({
        content: [{ output: expected }],
      })
    const look = tool({
      inputSchema: z.object({ at: z.string() }),
      execute: () => 'blue',
      toModelOutput: async ({ input, output }) => ({ type: 'text', value: `${input.at}: ${output}` }),
    })
    expect((await new PromptWriter().write([assistant(call())], { tools: { look } })).at(-1)).toMatchObject({
      content: [{ output: { type: 'text', value: 'sky: blue' } }],
    })
  })

  test('with the role system is sent before all others', async () => {
    expect(
      await new PromptWriter().write(
        [userMessage('Hello'), { ...userMessage('Be brief.'), role: 'system' }],
        {
          systemMessages: [{ role: 'system', content: 'First.' }],
        },
      ),
    ).toEqual([
      { role: 'system', content: 'First.' },
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
    ])
  })
})

describe("the prompt and the AI SDK's own conversion", () => {
  const conversations: Record<string, UIMessage[]> = {
    'text back and forth': [
      { id: '1', role: 'user', parts: [{ type: 'text', text: 'Hello' }] },
      { id: '2', role: 'assistant', parts: [{ type: 'step-start' }, { type: 'text', text: 'Hi' }] },
      { id: '3', role: 'user', parts: [{ type: 'text', text: 'Bye' }] },
    ],
    'a tool loop with reasoning': [
      { id: '1', role: 'user', parts: [{ type: 'text', text: 'Color?' }] },
      {
        id: '2',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          { type: 'reasoning', text: 'Hm.', providerMetadata: metadata },
          { type: 'text', text: 'Looking.' },
          call(),
          call({ toolCallId: '2', output: { color: 'blue' } } as never),
          { type: 'step-start' },
          call({
            toolCallId: '3',
            state: 'output-error',
            errorText: 'Too dark.',
            output: undefined,
          } as never),
          { type: 'step-start' },
          { type: 'text', text: 'Blue.' },
        ],
      },
      { id: '3', role: 'user', parts: [{ type: 'text', text: 'Thanks.' }] },
    ],
    'data parts and sources': [
      {
        id: '1',
        role: 'user',
        parts: [
          { type: 'text', text: 'Hello' },
          { type: 'data-x', data: 1 },
        ],
      },
      {
        id: '2',
        role: 'assistant',
        parts: [
          { type: 'source-url', sourceId: 's', url: 'https://example.com' },
          { type: 'text', text: 'Hi' },
        ],
      },
    ],
  }

  test.each(Object.entries(conversations))('agree on %s', async (_, messages) => {
    const theirs = await convertToModelMessages(structuredClone(messages) as AIUIMessage[])
    expect(await prompt(...(await parseInput(theirs)).messages)).toEqual(
      await prompt(...messages.map(fromUIMessage)),
    )
    expect(plain(await prompt(...messages.map(fromUIMessage)))).toEqual(plain(theirs))
  })

  /** Without fields that are undefined. */
  function plain(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value))
  }
})

describe('the conversion step by step', () => {
  test('converts an unedited message once', async () => {
    let conversions = 0
    const look = tool({
      inputSchema: z.object({}),
      execute: () => 'blue',
      toModelOutput: ({ output }) => {
        conversions++
        return { type: 'text', value: String(output) }
      },
    })
    const writer = new PromptWriter()
    const message = assistant({ type: 'step-start' }, call())
    for (let round = 0; round < 5; round++) {
      message.content.parts.push({ type: 'step-start' }, { type: 'text', text: `Round ${round}.` })
      await writer.write([message], { tools: { look } })
    }
    expect(conversions).toBe(1)
  })

  const edits: [string, (parts: any[]) => void][] = [
    ['a text', (parts) => (parts[1].text = 'New.')],
    ['a text of an earlier step', (parts) => (parts[1].text = 'New.')],
    ['the type of a part', (parts) => (parts[2].type = 'thinking')],
    ['provider metadata', (parts) => (parts[1].providerMetadata = metadata)],
    ['an output', (parts) => (parts[3].output = 'green')],
    ['something inside an output', (parts) => (parts[4].output.color = 'green')],
    ['something inside an input', (parts) => (parts[3].input.at = 'sea')],
    ['the state of a call', (parts) => Object.assign(parts[3], { state: 'output-error', errorText: 'No.' })],
    ['a part, replaced', (parts) => (parts[1] = { type: 'text', text: 'New.' })],
    ['a part, removed', (parts) => parts.splice(1, 1)],
    ['a part, added in between', (parts) => parts.splice(2, 0, { type: 'text', text: 'Added.' })],
    ['a step, split off', (parts) => parts.splice(3, 0, { type: 'step-start' })],
    ['a file', (parts) => (parts[6].url = 'https://example.com/b.png')],
    ['a property, deleted', (parts) => delete parts[6].filename],
  ]
  test.each(edits)('detects an edit in place of %s', async (_, edit) => {
    const message = assistant(
      { type: 'step-start' },
      { type: 'text', text: 'Old.' },
      { type: 'reasoning', text: 'Hm.' },
      call(),
      call({ toolCallId: '2', output: { color: 'blue' } } as never),
      { type: 'step-start' },
      { type: 'file', mediaType: 'image/png', filename: 'a.png', url: 'https://example.com/a.png' },
    )
    const writer = new PromptWriter()
    await writer.write([message], {})
    edit(message.content.parts)
    expect(await writer.write([message], {})).toEqual(await prompt(message))
  })

  test('detects an edit in place of a role, and of the reason of a denial', async () => {
    const denied = (reason: string) =>
      call({
        state: 'output-denied',
        output: undefined,
        approval: { id: 'a', approved: false, reason },
      } as never)
    const message = assistant(denied('Old.'), { type: 'text', text: 'Hi.' })
    const writer = new PromptWriter()
    await writer.write([message], {})
    message.content.parts[0] = denied('New.')
    expect(await writer.write([message], {})).toEqual(await prompt(message))
    Object.assign(message.content.parts[0], denied('Newer.'))
    expect(await writer.write([message], {})).toEqual(await prompt(message))
    message.content.parts.shift()
    message.role = 'user'
    expect(await writer.write([message], {})).toEqual(await prompt(message))
  })

  test('detects that toModelOutput has another result: for another input, or in another set of tools', async () => {
    const showing = (prefix: string) => ({
      look: tool({
        inputSchema: z.object({ at: z.string() }),
        execute: () => 'blue',
        toModelOutput: ({ input }) => ({ type: 'text', value: `${prefix} ${input.at}` }),
      }),
    })
    const writer = new PromptWriter()
    const message = assistant(call())
    const first = { tools: showing('first') }
    await writer.write([message], first)
    for (const part of message.content.parts) Object.assign((part as { input: object }).input, { at: 'sea' })
    expect(JSON.stringify(await writer.write([message], first))).toContain('first sea')
    expect(JSON.stringify(await writer.write([message], { tools: showing('second') }))).toContain(
      'second sea',
    )
  })

  test('after any edits and additions, the prompt equals that of a new conversion', async () => {
    const text = fc.record({ type: fc.constant('text' as const), text: fc.string() })
    const part: fc.Arbitrary<() => MessagePart> = fc.oneof(
      text.map((value) => () => ({ ...value })),
      fc.string().map((value) => () => ({ type: 'reasoning' as const, text: value })),
      fc.constant(() => ({ type: 'step-start' }) as MessagePart),
      fc.constant(() => ({ type: 'data-x', data: 1 }) as MessagePart),
      fc.tuple(fc.constantFrom('output-available', 'output-error', 'input-available'), fc.jsonValue()).map(
        ([state, output]) =>
          () =>
            call({
              toolCallId: crypto.randomUUID(),
              state,
              output: structuredClone(output),
              errorText: 'Broken.',
            } as never),
      ),
      fc.constant(
        () => ({ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,aGk=' }) as MessagePart,
      ),
    )
    const place = fc.nat()
    const action = fc.oneof(
      fc.record({ kind: fc.constant('add' as const), role: fc.constantFrom('user', 'assistant'), part }),
      fc.record({ kind: fc.constant('insert' as const), place, at: place, part }),
      fc.record({ kind: fc.constant('replace' as const), place, at: place, part }),
      fc.record({ kind: fc.constant('remove' as const), place, at: place }),
      fc.record({ kind: fc.constant('edit' as const), place, at: place, text: fc.string() }),
      fc.record({ kind: fc.constant('output' as const), place, at: place, value: fc.jsonValue() }),
      fc.record({ kind: fc.constant('copy' as const), place }),
      fc.record({ kind: fc.constant('swap' as const), place, at: place }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 20 }), async (actions) => {
        const writer = new PromptWriter()
        const messages: Message[] = []
        for (const step of actions) {
          const index = messages.length === 0 ? -1 : ('place' in step ? step.place : 0) % messages.length
          const parts = messages[index]?.content.parts ?? []
          const at = 'at' in step && parts.length > 0 ? step.at % parts.length : 0
          const target = parts[at] as any
          if (step.kind === 'add')
            messages.push(step.role === 'user' ? user(step.part()) : assistant(step.part()))
          else if (step.kind === 'insert') parts.splice(at, 0, step.part())
          else if (step.kind === 'replace') parts.splice(at, 1, step.part())
          else if (step.kind === 'remove') parts.splice(at, 1)
          else if (step.kind === 'edit' && target && 'text' in target) target.text = step.text
          else if (step.kind === 'output' && target && 'output' in target) {
            const inside =
              typeof target.output === 'object' && target.output !== null && !Array.isArray(target.output)
            if (inside) target.output.edited = step.value
            else target.output = step.value
          } else if (step.kind === 'copy' && index >= 0)
            messages[index] = structuredClone(messages[index] as Message)
          else if (step.kind === 'swap') parts.reverse()
          expect(await writer.write(messages, {})).toEqual(await prompt(...messages))
        }
      }),
    )
  })
})
