import { Agent, type AgentInput, type Message, type Processor, Suspend, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import {
  collect,
  reasoning,
  ScriptedModel,
  type ScriptPart,
  text,
  toolCall,
  toolResult,
} from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Scanner } from '../scanner/scanner.ts'
import type { Entity } from './entities.ts'
import type { Finding, Strategy, Surface } from './options.ts'
import { TextGuard, type TextGuardOptions } from './text-guard.ts'

expect.extend(matchers)

const runs = process.env.MILLRACE_THOROUGH === '1' ? 2_000 : process.env.MILLRACE_MUTATION === '1' ? 3 : 50

const scanner = new Scanner([
  { type: 'email', pattern: /(?<![\w.])[\w.]{1,20}@[a-z]{1,20}\.[a-z]{2,3}\b/ },
  { type: 'pem', pattern: /-----BEGIN/, rest: { until: /-----END/ } },
])

const value = 'bob@example.com'
const parts = ['bob@', '@example.com', value]

function guard(options: Partial<TextGuardOptions> = {}): TextGuard {
  return new TextGuard({ id: 'guard', scanner, ...options })
}

const remembered: Message = {
  id: 'old',
  role: 'assistant',
  content: { parts: [{ type: 'text', text: `Earlier: ${value}` }] },
  createdAt: new Date(0),
}

/** Adds remembered messages, as a memory would. */
const memory: Processor = {
  id: 'memory',
  processInput: ({ messageList }) => {
    messageList.add(structuredClone(remembered), 'remembered')
    return messageList
  },
}

interface Case {
  surface: Surface
  turns: (ScriptPart | string)[][]
  input?: AgentInput
  output?: z.ZodType
  others?: Processor[]
}

const cases: Case[] = [
  { surface: 'input', input: `I am ${value}`, turns: [['ok']] },
  { surface: 'history', turns: [['ok']], others: [memory] },
  {
    surface: 'tool-input',
    turns: [[toolCall('echo', { to: { [value]: [`x ${value}`] } }, { chunkSize: 3 })], ['ok']],
  },
  { surface: 'tool-result', turns: [[toolCall('leak', {})], ['ok']] },
  { surface: 'tool-result', turns: [[toolCall('fail', {})], ['ok']] },
  {
    surface: 'tool-result',
    turns: [
      [
        toolCall('search', {}, { id: 'p1', providerExecuted: true }),
        toolResult('search', { hit: value }, { id: 'p1' }),
        'ok',
      ],
    ],
  },
  { surface: 'reasoning', turns: [[reasoning(`He is ${value}.`, { chunkSize: 2 }), 'ok']] },
  {
    surface: 'object',
    turns: [[text(JSON.stringify({ mail: value }).replace('b', '\\u0062'), { chunkSize: 3 })]],
    output: z.object({ mail: z.string() }),
  },
  { surface: 'answer', turns: [[text(`Write to ${value}.`, { chunkSize: 2 })]] },
]

const tools = {
  echo: tool({ inputSchema: z.any(), execute: (input) => ({ done: JSON.stringify(input).length }) }),
  leak: tool({ inputSchema: z.object({}), execute: () => ({ rows: [{ mail: value, [value]: 1 }] }) }),
  fail: tool({
    inputSchema: z.object({}),
    execute: () => {
      throw new Error(`no such user: ${value}`)
    },
  }),
}

async function play(
  { turns, input = 'hi', output, others = [] }: Case,
  { processors, how }: { processors: Processor[]; how: 'generate' | 'stream' },
) {
  const model = new ScriptedModel(turns, { repeat: 'last' })
  const agent = new Agent({ name: 'a', model, tools, processors: [...others, ...processors] })
  const options = output ? { output } : {}
  if (how === 'generate') return { result: await agent.generate(input, options), chunks: [], model }
  const stream = agent.stream(input, options)
  const chunks = await collect(stream.fullStream)
  return { result: await stream.result, chunks, model }
}

describe.each(['generate', 'stream'] as const)('in %s', (how) => {
  test.each(cases)('redacts in $surface', async (each) => {
    const findings: Finding[] = []
    const processors = [guard({ onDetection: (finding) => findings.push(finding) })]
    const { result, chunks, model } = await play(each, { processors, how })
    expect(result.status).toBe('completed')
    for (const part of parts) {
      expect([result, chunks]).toLeakNothingOf(part)
      expect(model.calls.map(({ prompt }) => prompt)).toLeakNothingOf(part)
    }
    expect(
      JSON.stringify([result.steps, result.messages, model.calls.map(({ prompt }) => prompt)]),
    ).toContain('***@***.***')
    expect(findings.length).toBeGreaterThan(0)
    for (const finding of findings) {
      expect(finding).toMatchObject({
        type: 'email',
        surface: each.surface,
        processorId: 'guard',
        enforced: true,
      })
      expect(JSON.stringify(finding)).not.toContain('bob')
    }
  })

  test.each(cases)('blocks in $surface', async (each) => {
    const { result, chunks, model } = await play(each, { processors: [guard({ strategy: 'block' })], how })
    if (each.surface === 'history') {
      expect(result.status).toBe('completed')
      expect(model.lastPrompt).toHaveLength(1)
    } else {
      expect(result).toMatchObject({
        status: 'tripwire',
        rejection: {
          processorId: 'guard',
          metadata: { surface: each.surface, detections: [{ type: 'email' }] },
        },
      })
    }
    for (const part of parts) expect([result, chunks]).toLeakNothingOf(part)
  })

  test.each(cases)('reports and changes nothing with warn, in $surface', async (each) => {
    const findings: Finding[] = []
    const onDetection = (finding: Finding) => findings.push(finding)
    const plain = await play(each, { processors: [], how })
    const { result, model } = await play(each, {
      processors: [guard({ strategy: 'warn', onDetection })],
      how,
    })
    expect(result.text).toBe(plain.result.text)
    expect(model.calls.map(({ prompt }) => prompt)).toEqual(plain.model.calls.map(({ prompt }) => prompt))
    expect(findings.map(({ surface }) => surface)).toContain(each.surface)
    const watched: Finding[] = []
    const monitor = guard({
      strategy: 'block',
      mode: 'monitor',
      onDetection: (finding) => watched.push(finding),
    })
    await play(each, { processors: [monitor], how })
    const report = ({ messageId: _, ...finding }: Finding) => ({
      ...finding,
      strategy: 'block',
      enforced: false,
    })
    expect(watched.map(report)).toEqual(findings.map(report))
    expect(watched.some(({ enforced }) => enforced)).toBe(false)
  })

  test.each(cases.filter(({ surface }) => !/input$|result/.test(surface) && surface !== 'object'))(
    'filters in $surface',
    async (each) => {
      const { result, model } = await play(each, { processors: [guard({ strategy: 'filter' })], how })
      expect(result.text).toBe(each.surface === 'answer' ? '' : 'ok')
      expect(result.reasoningText).toBe('')
      expect(model.calls.map(({ prompt }) => prompt)).toLeakNothingOf('Earlier')
      expect(result.messages).toLeakNothingOf('Write to')
    },
  )

  test('looks only where it is told to', async () => {
    for (const each of cases) {
      const surfaces = cases.map(({ surface }) => surface).filter((surface) => surface !== each.surface)
      const findings: Finding[] = []
      const processors = [guard({ surfaces, onDetection: (finding) => findings.push(finding) })]
      const { result } = await play(each, { processors, how })
      expect(result.status).toBe('completed')
      expect(findings).toEqual([])
    }
  })
})

describe('as an output processor alone', () => {
  test('redacts structured answers and the input that is yet to be stored', async () => {
    const json = JSON.stringify({ mail: value }).replace('b', '\\u0062')
    const model = new ScriptedModel([[text(json, { chunkSize: 2 })]])
    const { store, stored } = recording()
    const agent = new Agent({ name: 'a', model, outputProcessors: [guard(), store] })
    const result = await agent.generate(`from ${value}`, { output: z.object({ mail: z.string() }) })
    expect(result.object).toEqual({ mail: '***@***.***' })
    expect(stored).toHaveLength(2)
    expect(stored).toLeakNothingOf(value)
  })

  test.each([
    ['redact', {}],
    ['block', {}],
    ['filter', {}],
    ['redact', { entities: findNone }],
  ] as const)('with %s %o, lets nothing of the input be stored at any time', async (strategy, options) => {
    const storage = new InMemoryRunStore()
    const { store, stored } = recording()
    const ask = tool({
      inputSchema: z.object({}),
      execute: (_, { resumeData }) => {
        if (resumeData === undefined) throw new Suspend()
        return 'yes'
      },
    })
    const model = new ScriptedModel([[toolCall('ask', {})], ['ok']])
    const outputProcessors = [guard({ strategy, ...options }), store]
    const agent = new Agent({ name: 'a', model, tools: { ask }, storage, outputProcessors })
    const waiting = await agent.generate(`from ${value}`)
    expect(JSON.stringify(model.lastPrompt)).toContain(value)
    expect(await storage.getRun(waiting.runId)).toLeakNothingOf(value)
    expect(await agent.resume(waiting.runId, true).result).toBeCompleted()
    expect(stored).toHaveLength(3)
    expect(stored).toLeakNothingOf(value)
  })

  test.each([{ strategy: 'warn' as const }, { mode: 'monitor' as const }])(
    'with %o, leaves the input alone',
    async (options) => {
      const { store, stored } = recording()
      const model = new ScriptedModel(['ok'])
      await new Agent({ model, outputProcessors: [guard(options), store] }).generate(`from ${value}`)
      expect(JSON.stringify(stored)).toContain(value)
    },
  )
})

/** Keeps what a memory would: before every call of the model, and at the end. */
function recording(): { store: Processor; stored: unknown[] } {
  const stored: unknown[] = []
  const store: Processor = {
    id: 'store',
    wrapModelCall: ({ request, next, messageList }) => {
      stored.push(structuredClone(messageList.get()))
      return next(request)
    },
    processOutputResult: ({ messageList }) => {
      stored.push(structuredClone(messageList.get()))
    },
  }
  return { store, stored }
}

function findNone(): Entity[] {
  return []
}

test.each(['base64', 'plain'])('redacts in a text file the user sends, written as %s', async (encoding) => {
  const csv = `name,mail\nBøb,${value}\n`
  const data =
    encoding === 'base64' ? `;base64,${Buffer.from(csv).toString('base64')}` : `,${encodeURIComponent(csv)}`
  const input: Message = {
    id: 'with-file',
    role: 'user',
    content: {
      parts: [{ type: 'file', mediaType: 'text/csv', filename: `${value}.csv`, url: `data:text/csv${data}` }],
    },
    createdAt: new Date(0),
  }
  let stored: Message | undefined
  const store: Processor = {
    id: 'store',
    processInput: ({ messages }) => {
      stored = messages[0]
    },
  }
  const agent = new Agent({ name: 'a', model: new ScriptedModel(['ok']), processors: [guard(), store] })
  await agent.generate([input])
  const [part] = stored?.content.parts ?? []
  expect(part).toMatchObject({ filename: '***@***.***.csv' })
  const url = part?.type === 'file' ? part.url : ''
  expect(await (await fetch(url)).text()).toBe('name,mail\nBøb,***@***.***\n')
})

test('redacts what another processor writes into the finished answer', async () => {
  const writer: Processor = {
    id: 'writer',
    processOutputResult: ({ messages }) => {
      for (const part of messages[0]?.content.parts ?? [])
        if (part.type === 'text') part.text += ` (${value})`
    },
  }
  const agent = new Agent({ name: 'a', model: new ScriptedModel(['fine']), processors: [writer, guard()] })
  expect((await agent.generate('hi')).text).toBe('fine (***@***.***)')
})

test('loads its scanner when it is first used, and tries again after a failure', async () => {
  let loads = 0
  const lazy = guard({
    scanner: async () => {
      if (loads++ === 0) throw new Error('offline')
      return scanner
    },
  })
  const agent = new Agent({
    name: 'a',
    model: new ScriptedModel([value, value], { repeat: 'last' }),
    processors: [lazy],
  })
  await expect(agent.generate('hi')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  const results = await Promise.all([agent.generate('hi'), agent.generate('hi')])
  expect(results.map(({ text }) => text)).toEqual(['***@***.***', '***@***.***'])
  expect(loads).toBe(2)
})

const pieces = fc
  .array(
    fc.constantFrom(
      'a',
      ' ',
      'bob@ex.com',
      '@',
      '.',
      'x.co',
      '😀',
      '-----BEGIN',
      '-----END',
      '{"',
      '"',
      '\\u0040',
      '\n',
    ),
    {
      maxLength: 25,
    },
  )
  .map((all) => all.join(''))
const places = fc.array(fc.nat(300), { maxLength: 8 })

function cut(text: string, places: readonly number[]): string[] {
  const sorted = [0, ...places.map((place) => place % (text.length + 1)), text.length].sort((a, b) => a - b)
  return sorted.slice(1).map((end, index) => text.slice(sorted[index], end))
}

describe.each(['block', 'redact', 'warn', 'filter'] as Strategy[])('with %s', (strategy) => {
  test.each(['processors', 'outputProcessors'])(
    'in %s, leaves an answer the same however it is cut',
    async (list) => {
      const play = async (deltas: readonly string[]) => {
        const findings: Finding[] = []
        const processor = guard({ strategy, onDetection: (finding) => findings.push(finding) })
        const agent = new Agent({
          name: 'a',
          model: new ScriptedModel([[text(deltas)]]),
          [list]: [processor],
        })
        const stream = agent.stream('hi')
        const chunks = await collect(stream.fullStream)
        const { text: answer, status, rejection } = await stream.result
        const streamed = chunks.map((chunk) => (chunk.type === 'text-delta' ? chunk.textDelta : '')).join('')
        // What precedes a blocked finding may be out or not; it is taken back.
        return { answer, status, rejection, findings, streamed: strategy === 'block' ? '' : streamed }
      }
      await fc.assert(
        fc.asyncProperty(pieces, places, async (text, places) => {
          expect(await play(cut(text, places))).toEqual(await play([text]))
          expect(await play(text.split(''))).toEqual(await play([text]))
        }),
        { numRuns: runs },
      )
    },
  )
})

test('mixes nothing up between runs, agents and instances', async () => {
  const one = guard()
  const two = guard({ id: 'second' })
  const model = () =>
    new ScriptedModel((_, index) => [text(`answer bob@ex.com and ${index}@tail.org`, { chunkSize: 3 })])
  const agents = [
    new Agent({ name: 'a', model: model(), processors: [one, two] }),
    new Agent({ name: 'b', model: model(), processors: [one] }),
  ]
  const results = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) => (agents[index % 2] as Agent).generate(`hi ${index}`)),
  )
  for (const { text } of results) expect(text).toBe('answer ***@***.*** and ***@***.***')
})

test('checks what another processor makes of a call and of its result', async () => {
  const inputs: unknown[] = []
  const meddler: Processor = {
    id: 'meddler',
    processToolCall: ({ toolCall: call }) => ({ input: { ...(call.input as object), to: value } }),
    processToolResult: () => ({ output: `sent to ${value}` }),
  }
  const model = new ScriptedModel([toolCall('send', { to: 'nobody' }), 'Done.'])
  const send = tool({
    inputSchema: z.object({ to: z.string() }),
    execute: (input) => {
      inputs.push(input)
      return 'sent'
    },
  })
  const result = await new Agent({ model, tools: { send }, processors: [meddler, guard()] }).generate(
    'Send it',
  )
  expect(inputs).toEqual([{ to: '***@***.***' }])
  expect(result).toLeakNothingOf(parts)
  expect(model.lastPrompt).toLeakNothingOf(parts)
})
