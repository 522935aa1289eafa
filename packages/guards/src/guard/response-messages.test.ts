import { Agent, type AgentInput, type Message, type MessagePart, type Processor, tool } from '@millrace/core'
import { reasoning, ScriptedModel, type ScriptPart, source, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Scanner } from '../scanner/scanner.ts'
import type { Finding } from './options.ts'
import { TextGuard, type TextGuardOptions } from './text-guard.ts'

expect.extend(matchers)

const value = 'KEY-1234'
const scanner = new Scanner([{ type: 'key', pattern: /\bKEY-\d{4}\b/ }])

const tools = {
  echo: tool({ inputSchema: z.any(), execute: () => 'done' }),
  show: tool({ inputSchema: z.any(), execute: () => ({ rows: ['done'] }) }),
}

interface Options extends Partial<TextGuardOptions> {
  input?: AgentInput
  before?: Processor[]
  output?: z.ZodType
}

/** Plays a run in which a processor writes into what was made before the guard sees it whole. */
async function run(
  turns: (string | ScriptPart | (string | ScriptPart)[])[],
  write: (args: Parameters<NonNullable<Processor['processOutputResult']>>[0]) => void,
  { input = 'Hi', before = [], output, ...options }: Options = {},
) {
  const findings: Finding[] = []
  const onDetection = (finding: Finding) => void findings.push(finding)
  const guard = new TextGuard({ id: 'guard', scanner, onDetection, ...options })
  const stored = new Map<string, Message['content']>()
  const writer: Processor = { id: 'writer', processOutputResult: write }
  const store: Processor = {
    id: 'store',
    processOutputResult({ messageList }) {
      for (const { id, content } of messageList.get()) stored.set(id, structuredClone(content))
    },
  }
  const model = new ScriptedModel(turns)
  const agent = new Agent({ model, tools, processors: [...before, writer, guard, store] })
  const result = await agent.generate(input, { ...(output && { output }) })
  const parts = result.messages.flatMap(({ content }) => content.parts)
  return { result, findings, stored, parts }
}

type Write = Parameters<typeof run>[1]

/** Adds parts to the answer. */
const adds =
  (...parts: MessagePart[]): Write =>
  ({ messages, state }) => {
    // Once: an answer that a guard gives in its place is left alone.
    if (state.added) return
    state.added = true
    messages.at(-1)?.content.parts.push(...structuredClone(parts))
  }

/** Writes the texts of the answer anew, in order. */
const rewrites =
  (...said: (string | undefined)[]): Write =>
  ({ messages }) => {
    let index = 0
    for (const part of messages.at(-1)?.content.parts ?? []) {
      if (part.type === 'text' || part.type === 'reasoning') part.text = said[index++] ?? part.text
    }
  }

const nothing: Write = () => {}

const WRITTEN: [string, MessagePart, string][] = [
  ['a text', { type: 'text', text: `It is ${value}.` }, 'answer'],
  ['a thought', { type: 'reasoning', text: `It is ${value}.` }, 'reasoning'],
  ['a source', { type: 'source-url', sourceId: 's', url: 'https://example.com', title: value }, 'answer'],
  ['data', { type: 'data-note', data: { note: value } }, 'answer'],
  [
    'a call',
    { type: 'tool-echo', toolCallId: 'w', state: 'output-available', input: { to: value }, output: 'done' },
    'tool-input',
  ],
  [
    'a result',
    { type: 'tool-echo', toolCallId: 'w', state: 'output-available', input: {}, output: [value] },
    'tool-result',
  ],
]

describe('what a processor writes into the finished answer', () => {
  test.each(WRITTEN)('is redacted: %s', async (_, part, surface) => {
    const { parts, findings, stored, result } = await run(['Fine.'], adds(part))
    expect([parts, [...stored]]).toLeakNothingOf(value)
    expect(JSON.stringify(parts)).toContain('[REDACTED]')
    const { toolCallId } = part as { toolCallId?: string }
    expect(findings).toMatchObject([
      { surface, messageId: result.messages[0]?.id, ...(toolCallId && { toolCallId }) },
    ])
  })

  test.each(WRITTEN)('ends the run with block and with halt: %s', async (_, part, surface) => {
    const { result } = await run(['Fine.'], adds(part), { strategy: 'block' })
    expect(result).toMatchObject({ status: 'tripwire', rejection: { metadata: { surface } } })
    const halted = await run(['Fine.'], adds(part), { strategy: 'halt', response: 'No.' })
    expect(halted.result).toMatchObject({ status: 'halted', text: 'No.' })
  })

  describe.each(['block', 'halt'] as const)(
    'into a step before, with %s, is not in what stays of the run',
    (strategy) => {
      const turns = [['One.', toolCall('echo')], 'Two.']

      test.each(WRITTEN)('%s', async (_, part) => {
        const { result, stored } = await run(
          turns,
          ({ messages, state }) => {
            if (state.written) return
            state.written = true
            messages[0]?.content.parts.splice(1, 0, structuredClone(part))
          },
          { strategy },
        )
        expect(result).toHaveStatus(strategy === 'block' ? 'tripwire' : 'halted')
        expect([result.messages, result.steps, [...stored]]).toLeakNothingOf(value)
      })

      test('however often it is written', async () => {
        const { result } = await run(
          turns,
          ({ messages }) => {
            for (const { content } of messages)
              for (const part of content.parts) if (part.type === 'text') part.text += ` ${value}`
          },
          { strategy },
        )
        expect(result).toHaveTripped()
        expect([result.messages, result.steps]).toLeakNothingOf(value)
      })
    },
  )

  test.each(WRITTEN)('is left out with filter, but for calls: %s', async (_, part, surface) => {
    const { parts, stored } = await run(['Fine.'], adds(part), { strategy: 'filter' })
    expect([parts, [...stored]]).toLeakNothingOf(value)
    const types = parts.map(({ type }) => type).filter((type) => type !== 'step-start')
    expect(types).toEqual(surface.startsWith('tool') ? ['text', part.type] : ['text'])
  })

  test.each(WRITTEN)('is left alone where the guard does not look: %s', async (_, part, surface) => {
    const others = (['input', 'answer', 'reasoning', 'tool-input', 'tool-result'] as const).filter(
      (one) => one !== surface,
    )
    const { parts, findings } = await run(['Fine.'], adds(part), { surfaces: others })
    expect(parts.at(-1)).toEqual(part)
    expect(findings).toEqual([])
  })

  test.each(WRITTEN)('is only reported with warn: %s', async (_, part) => {
    const { parts, findings } = await run(['Fine.'], adds(part), { strategy: 'warn' })
    expect(parts.at(-1)).toEqual(part)
    expect(findings).toHaveLength(1)
  })

  test('is one text within a step, whatever stands between', async () => {
    const { parts } = await run(
      [['One. ', source({ url: 'https://example.com' }), 'Two.']],
      rewrites('It is KEY-', '1234, so.'),
    )
    expect(parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).toEqual([
      'It is [REDACTED]',
      ', so.',
    ])
  })

  test('is one text over steps: what was begun is taken away', async () => {
    for (const [write, left] of [
      [rewrites('It is KEY-', '1234, so.'), ['It is ', '[REDACTED], so.']],
      [rewrites('KEY-', '1234'), ['[REDACTED]']],
      [rewrites(undefined, '1234, so.'), ['See ', '[REDACTED], so.']],
    ] as const) {
      const { parts, result, stored } = await run([['See KEY-', toolCall('echo')], 'Well.'], write)
      const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
      expect(texts.filter((said) => said !== '')).toEqual(left)
      expect([result.messages, [...stored]]).toLeakNothingOf('KEY-')
    }
  })

  test('is one text with what the assistant said before', async () => {
    const past: Message = {
      id: 'past',
      role: 'assistant',
      content: { parts: [{ type: 'text', text: 'It was KEY-' }] },
      createdAt: new Date(0),
    }
    const before: Processor[] = [
      {
        id: 'memory',
        processInput: ({ messageList }) => messageList.add(structuredClone(past), 'remembered'),
      },
    ]
    const { parts, stored, findings } = await run(['Fine.'], rewrites('1234, so.'), { before })
    expect(parts.at(-1)).toMatchObject({ text: '[REDACTED], so.' })
    expect(stored.get('past')?.parts).toEqual([{ type: 'text', text: 'It was ' }])
    expect(findings).toMatchObject([{ surface: 'answer' }])
    const answers = await run(['Fine.'], rewrites('1234, so.'), { before, surfaces: ['answer'] })
    expect(answers.parts.at(-1)).toMatchObject({ text: '[REDACTED], so.' })
    // A guard that does not look at the history leaves it as it is.
    expect(answers.stored.get('past')).toEqual(past.content)
    // What a user said before does not go on here.
    const other = await run(['Fine.'], rewrites('1234, so.'), { input: 'It is KEY-' })
    expect(other.parts.at(-1)).toMatchObject({ text: '1234, so.' })
  })

  test('is redacted in reasoning over steps, apart from what is said', async () => {
    const turns = [
      [reasoning('Hm.'), 'Well.', toolCall('echo')],
      [reasoning('So.'), 'Fine.'],
    ]
    const { parts } = await run(turns, rewrites('It is KEY-', 'KEY-', '1234.', 'Fine.'))
    const said = parts.flatMap((part) =>
      part.type === 'text' || part.type === 'reasoning' ? [part.text] : [],
    )
    expect(said).toEqual(['It is ', 'KEY-', '[REDACTED].', 'Fine.'])
  })

  test('stays JSON where the answer is structured', async () => {
    const output = z.object({ note: z.string() })
    const json = JSON.stringify({ note: value }).replace('K', '\\u004b')
    const { parts, findings } = await run([text('{"note":"ok"}')], rewrites(json), { output })
    const [part] = parts.filter(({ type }) => type === 'text')
    expect(JSON.parse((part as { text: string }).text)).toEqual({ note: '[REDACTED]' })
    expect(findings).toMatchObject([{ surface: 'object' }])
  })

  test('is redacted in a message of its own, and in what a user is said to have said', async () => {
    const extra = (role: Message['role'], said: string): Message => ({
      id: role,
      role,
      content: { parts: [{ type: 'text', text: said }] },
      createdAt: new Date(0),
    })
    for (const role of ['user', 'assistant'] as const) {
      const write: Write = ({ messageList }) =>
        void messageList.add(extra(role, `It is ${value}.`), 'response')
      const { result } = await run(['Fine.'], write)
      expect(result.messages).toLeakNothingOf(value)
    }
    const write: Write = ({ messageList }) => void messageList.add(extra('user', '1234.'), 'response')
    const { stored } = await run(['It is KEY-'], write)
    expect(stored.get('user')?.parts).toEqual([{ type: 'text', text: '1234.' }])
  })
})

describe('what has passed the stream', () => {
  const turns = [
    [
      reasoning(`Hm ${value}.`),
      text(`It is ${value}.`),
      source({ url: 'https://example.com', title: value }),
      toolCall('show', { to: value }),
    ],
    [text('Fine.'), text(`Or ${value}.`)],
  ]

  test('is not looked at again, and not reported twice', async () => {
    for (const strategy of ['redact', 'warn'] as const) {
      const { findings } = await run(turns, nothing, { strategy })
      expect(findings.map(({ surface }) => surface).sort()).toEqual([
        'answer',
        'answer',
        'answer',
        'reasoning',
        'tool-input',
      ])
    }
  })

  test('is looked at again where it was changed, and only there', async () => {
    const { findings, parts } = await run(turns, rewrites(undefined, undefined, undefined, `See ${value}.`), {
      strategy: 'warn',
    })
    expect(findings).toHaveLength(6)
    expect(parts).toContainEqual(expect.objectContaining({ text: `See ${value}.` }))
  })
})

describe('with filter, of the parts of a step', () => {
  const textsOf = (parts: readonly MessagePart[]) =>
    parts.flatMap((part) => (part.type === 'text' || part.type === 'reasoning' ? [part.text] : []))

  test('those go in which something was found, though their beginning was out', async () => {
    const turn = [
      text('One.'),
      text(['Two, ', 'that is ', `${value}, `, 'so.']),
      text('One.'),
      text(['Three, ', 'that is KEY-']),
      text(['1234', ' then.']),
      text('Four.'),
    ]
    const { result, parts } = await run([turn], nothing, { strategy: 'filter' })
    expect(textsOf(parts)).toEqual(['One.', 'One.', 'Four.'])
    expect(result.text).toBe('One.One.Four.')
  })

  test('and of two that read the same, the one in which it was', async () => {
    const turn = [text(['So ', 'it is. ']), text(['So ', 'it is. ', value]), text(['So ', 'it is. '])]
    const { parts } = await run([turn], nothing, { strategy: 'filter' })
    expect(textsOf(parts)).toEqual(['So it is. ', 'So it is. '])
  })

  test('and thoughts apart from texts', async () => {
    const turn = [
      reasoning(['So ', 'it is. ', value]),
      text(['So ', 'it is. ']),
      reasoning(['So ', 'it is. ']),
      text(['So ', 'it is. ', value]),
    ]
    const { parts } = await run([turn], nothing, { strategy: 'filter' })
    expect(parts.filter(({ type }) => type !== 'step-start').map(({ type }) => type)).toEqual([
      'text',
      'reasoning',
    ])
  })

  test('and none of an earlier step', async () => {
    const { parts } = await run(
      [
        [text(['So ', 'it is. ']), toolCall('echo')],
        [text(['So ', 'it is. ', value]), text('Bye.')],
      ],
      nothing,
      { strategy: 'filter' },
    )
    expect(textsOf(parts)).toEqual(['So it is. ', 'Bye.'])
    const types = parts.map(({ type }) => type).filter((type) => type !== 'step-start')
    expect(types).toEqual(['text', 'tool-echo', 'text'])
  })

  test('and those that a processor wrote, without their neighbours', async () => {
    const source = (sourceId: string, title: string): MessagePart => ({
      type: 'source-url',
      sourceId,
      url: 'https://example.com',
      title,
    })
    const write = adds(source('a', 'One'), source('b', value), source('c', 'Three'))
    const { parts } = await run(['Fine.'], write, { strategy: 'filter' })
    expect(parts.flatMap((part) => (part.type === 'source-url' ? [part.sourceId] : []))).toEqual(['a', 'c'])
  })
})

test('what a processor writes as the whole of a part is found, whatever letters are beside it', async () => {
  const { parts } = await run(
    [['One.', source({ url: 'https://example.com' }), 'Two.']],
    rewrites('x', value),
    {},
  )
  expect(parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).toEqual(['x', '[REDACTED]'])
})

test('an answer in several messages is one text, also where the guard looks at answers only', async () => {
  const goesOn: Processor = {
    id: 'goes-on',
    processOutputStep: ({ stepNumber }) => (stepNumber === 0 ? { continue: 'Go on.' } : undefined),
  }
  const write: Write = ({ messages }) => {
    const texts = ['It is KEY-', undefined, '1234, so.']
    for (const [index, { content }] of messages.entries()) {
      for (const part of content.parts) if (part.type === 'text') part.text = texts[index] ?? part.text
    }
  }
  for (const options of [{}, { surfaces: ['answer'] }] as const) {
    const { result } = await run(['One.', 'Two.'], write, { ...options, before: [goesOn] })
    const texts = result.messages.map(({ content }) =>
      content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(''),
    )
    expect(texts).toEqual(['It is ', 'Go on.', '[REDACTED], so.'])
  }
})

test('what was reported is not reported again when another processor halts the run over its answer', async () => {
  const findings: Finding[] = []
  const guard = new TextGuard({
    id: 'guard',
    scanner,
    strategy: 'warn',
    onDetection: (each) => findings.push(each),
  })
  const writer: Processor = {
    id: 'writer',
    processOutputResult({ messages, state }) {
      if (state.written) return
      state.written = true
      const part = messages[0]?.content.parts.find(({ type }) => type === 'text')
      if (part?.type === 'text') part.text = `See ${value}.`
    },
  }
  const halts: Processor = { id: 'halts', processOutputResult: ({ halt }) => halt('No.') }
  const model = new ScriptedModel([['One.', toolCall('echo')], 'Two.'])
  const result = await new Agent({ model, tools, processors: [writer, guard, halts] }).generate('Hi')
  expect(result).toMatchObject({ status: 'halted' })
  expect(findings).toHaveLength(1)
})

test('a finder of entities is told that the run is aborted while it reads what was written', async () => {
  const abort = new AbortController()
  const told: boolean[] = []
  const entities: TextGuardOptions['entities'] = ({ text: asked, abortSignal }) => {
    if (asked !== 'written') return []
    abort.abort()
    told.push(abortSignal.aborted)
    return []
  }
  const guard = new TextGuard({ id: 'guard', scanner, entities })
  const writer: Processor = { id: 'writer', processOutputResult: rewrites('written') }
  const agent = new Agent({ model: new ScriptedModel(['Fine.']), processors: [writer, guard] })
  expect(await agent.generate('Hi', { abortSignal: abort.signal })).toMatchObject({ status: 'aborted' })
  expect(told).toEqual([true])
})
