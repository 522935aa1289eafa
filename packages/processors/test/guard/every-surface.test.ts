import {
  Agent,
  type AgentInput,
  type Message,
  type Processor,
  Suspend,
  tool,
  type UIMessage,
} from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import type { Entity, GuardOptions, Strategy } from '@millrace/guards/guard'
import { type Check, WindowGuard } from '@millrace/guards/judge'
import { SecretDetector } from '@millrace/guards/secrets'
import { PIIDetector } from '@millrace/pii'
import {
  collect,
  file,
  finish,
  reasoning,
  ScriptedModel,
  type ScriptPart,
  source,
  text,
  toolCall,
} from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { runsOf } from '../runs.ts'

expect.extend(matchers)

const runs = runsOf(40, 1_000)

const detectors = {
  'personal data': {
    value: 'card 4111 1111 1111 1111',
    // Longer than what an id could contain by chance.
    parts: ['4111 1', '1111 1111'],
    make: (options?: GuardOptions) => new PIIDetector(options),
  },
  'a secret': {
    value: 'token ghp_k7Qp2vX9sLm4Tz8RbY3wN5cD1fG6hJ0aS2eU',
    parts: ['ghp_k7', 'Qp2vX9sLm4', 'aS2eU'],
    make: (options?: GuardOptions) => new SecretDetector(options),
  },
  'a name that a model finds': {
    value: 'name Quirin Abendroth',
    parts: ['Quirin', 'Abendroth'],
    make: (options?: GuardOptions) => new PIIDetector({ ...options, types: ['email'], entities: findsName }),
  },
}

/** Called with whole texts. */
async function findsName({ text }: { text: string }): Promise<Entity[]> {
  const start = text.indexOf('Quirin Abendroth')
  return start === -1 ? [] : [{ type: 'name', start, end: start + 'Quirin Abendroth'.length }]
}

/** Flags windows that contain a name. */
function judgeOf(strategy: Strategy): WindowGuard {
  const check: Check = async (texts) =>
    texts.map((text) => ({
      flagged: text.includes('Quirin Abendroth'),
      categories: ['name'],
      score: 1,
      reason: '',
      calls: 1,
      inputTokens: 0,
      outputTokens: 0,
    }))
  return new WindowGuard({ id: 'judge', label: 'A name was', check, strategy })
}

interface Case {
  surface: string
  turns: (ScriptPart | string)[][]
  input?: AgentInput
  output?: z.ZodType
  others?: Processor[]
}

function message(id: string, said: string): Message {
  return { id, role: 'assistant', content: { parts: [{ type: 'text', text: said }] }, createdAt: new Date(0) }
}

/** Adds a message, like a memory or a retrieval. */
function adds(said: string, origin: 'remembered' | 'context'): Processor {
  return {
    id: origin,
    processInput: ({ messageList }) => {
      messageList.add(message(origin, said), origin)
      return messageList
    },
  }
}

function casesOf(value: string): Case[] {
  const said = `This is the ${value}.`
  return [
    { surface: 'user input', input: said, turns: [['ok']] },
    { surface: 'a remembered message', turns: [['ok']], others: [adds(said, 'remembered')] },
    { surface: 'a context message', turns: [['ok']], others: [adds(said, 'context')] },
    { surface: 'tool input', turns: [[toolCall('echo', { to: [said] }, { chunkSize: 3 })], ['ok']] },
    { surface: 'a tool result', turns: [[toolCall('leak', {})], ['ok']] },
    { surface: 'a tool error', turns: [[toolCall('fail', {})], ['ok']] },
    { surface: 'reasoning', turns: [[reasoning(said, { chunkSize: 2 }), 'ok']] },
    {
      surface: 'structured output',
      turns: [[text(JSON.stringify({ note: said }), { chunkSize: 3 })]],
      output: z.object({ note: z.string() }),
    },
    { surface: 'the answer', turns: [[text(said, { chunkSize: 2 })]] },
    { surface: "a chat client's metadata", input: [ui({ metadata: { note: said } })], turns: [['ok']] },
    {
      surface: 'a data part',
      input: [ui({ parts: [...hi, { type: 'data-form', data: { rows: [said] } }] })],
      turns: [['ok']],
    },
    ...['text/plain', 'application/octet-stream'].map((type) => ({
      surface: `a file said to be ${type}`,
      input: [
        ui({
          parts: [...hi, { type: 'file', mediaType: 'text/plain', url: `data:${type};base64,${btoa(said)}` }],
        }),
      ],
      turns: [['ok']],
    })),
    {
      surface: 'a part of a type nobody knows',
      input: [ui({ parts: [...hi, { type: 'thinking', text: said }] })],
      turns: [['ok']],
    },
    {
      surface: 'the title of a source',
      turns: [[source({ url: 'https://example.com', title: said }), 'ok']],
    },
    {
      surface: 'the address of a source',
      turns: [[source({ url: `https://example.com/?q=${encodeURIComponent(said)}` }), 'ok']],
    },
    { surface: 'a file of the model', turns: [[file('text/csv', new TextEncoder().encode(said)), 'ok']] },
    {
      surface: 'what a provider says about a text',
      turns: [[text('ok', { providerMetadata: { acme: { cited: [said] } } })]],
    },
    {
      surface: 'what a provider says about reasoning',
      turns: [[reasoning('Hm', { providerMetadata: { acme: { cited: said } } }), 'ok']],
    },
    {
      surface: 'what a provider says about a call',
      turns: [[toolCall('echo', {}, { providerMetadata: { acme: { cited: said } } })], ['ok']],
    },
    {
      surface: 'what a provider says about a step',
      turns: [['ok', finish({ providerMetadata: { acme: { grounding: [{ said }] } } })]],
    },
    { surface: 'what a tool shows the model of its output', turns: [[toolCall('show', {})], ['ok']] },
    { surface: 'why a tool cannot show its output', turns: [[toolCall('hide', {})], ['ok']] },
  ]
}

const hi = [{ type: 'text' as const, text: 'hi' }]

/** A chat client's message with all kinds of parts. */
function ui(fields: { metadata?: unknown; parts?: object[] }) {
  return { id: 'u1', role: 'user' as const, parts: hi, ...fields } as UIMessage
}

function toolsOf(value: string) {
  return {
    show: tool({
      inputSchema: z.object({}),
      execute: () => 'done',
      toModelOutput: () => ({ type: 'content', value: [{ type: 'text', text: `the ${value}` }] }),
    }),
    hide: tool({
      inputSchema: z.object({}),
      execute: () => 'done',
      toModelOutput: () => {
        throw new Error(`cannot show the ${value}`)
      },
    }),
    echo: tool({ inputSchema: z.any(), execute: () => 'done' }),
    leak: tool({ inputSchema: z.object({}), execute: () => ({ rows: [`the ${value}`] }) }),
    fail: tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Error(`refused: ${value}`)
      },
    }),
  }
}

/** With its files decoded. */
function decoded(json: string): string {
  return decodeURIComponent(json.replace(/(?<=;base64,)[\w+/]+=*/g, (base64) => atob(base64)))
}

const EVENTS = ['run-start', 'step-finish', 'tool-finish', 'processor', 'run-finish', 'run-error'] as const

/** Everything that is visible of a run: result, chunks, prompts, events, and what a store would keep. */
async function play(
  { turns, input = 'hi', output, others = [] }: Case,
  { detector, how, value }: { detector: Processor; how: 'generate' | 'stream'; value: string },
) {
  const model = new ScriptedModel(turns, { repeat: 'last' })
  const stored: unknown[] = []
  const store: Processor = {
    id: 'store',
    processOutputResult: ({ messageList, result }) => {
      stored.push(structuredClone([messageList.get('input'), messageList.get('response'), result.steps]))
    },
  }
  const processors = [...others, detector, store]
  const agent = new Agent({ name: 'a', model, tools: toolsOf(value), processors })
  const events: unknown[] = []
  for (const name of EVENTS) agent.on(name, (event) => events.push(event))
  const options = output ? { output } : {}
  const stream = how === 'stream' ? agent.stream(input, options) : undefined
  const chunks = stream ? await collect(stream.fullStream) : []
  const result = stream ? await stream.result : await agent.generate(input, options)
  await agent.close()
  expect(events.length).toBeGreaterThan(1)
  const prompts = model.calls.map(({ prompt }) => prompt)
  return { result, prompts, all: [result, chunks, prompts, events, stored], stored }
}

describe.each(Object.entries(detectors))('%s', (_, { value, parts, make }) => {
  describe.each(['generate', 'stream'] as const)('in %s', (how) => {
    test.each(casesOf(value))('is redacted in $surface, and appears nowhere', async (each) => {
      const { result, all, stored } = await play(each, { detector: make(), how, value })
      expect(result.status).toBe('completed')
      expect(all).toLeakNothingOf(parts)
      expect(decoded(JSON.stringify(all))).toContain('[REDACTED]')
      expect(stored).toHaveLength(1)
    })

    test('is redacted in the payload of a suspended tool, and in the provider metadata before it', async () => {
      const storage = new InMemoryRunStore()
      const seen: unknown[] = []
      const ask = tool({
        inputSchema: z.object({}),
        execute: (_, { suspendPayload, resumeData }): string => {
          seen.push(suspendPayload, resumeData)
          if (resumeData === undefined) throw new Suspend({ question: `Is it the ${value}?` })
          return 'yes'
        },
      })
      const metadata = { acme: { cited: `the ${value}` } }
      const model = new ScriptedModel([[toolCall('ask', {}), finish({ providerMetadata: metadata })], ['ok']])
      const agent = new Agent({ model, tools: { ask }, storage, processors: [make()] })
      const stream = how === 'stream' ? agent.stream('hi') : undefined
      const chunks = stream ? await collect(stream.fullStream) : []
      const waiting = stream ? await stream.result : await agent.generate('hi')
      expect(waiting.status).toBe('suspended')
      expect([waiting, chunks, await storage.getRun(waiting.runId)]).toLeakNothingOf(parts)
      const resumed = await agent.resume(waiting.runId, true).result
      expect(resumed.text).toBe('ok')
      expect([resumed, seen]).toLeakNothingOf(parts)
    })

    test.each(casesOf(value))('is blocked in $surface, and stored nowhere', async (each) => {
      const { result, prompts, all, stored } = await play(each, {
        detector: make({ strategy: 'block' }),
        how,
        value,
      })
      // The blocked text is in a past message, which is left out, so that it cannot end every run of its thread.
      const leftOut = each.others !== undefined
      expect(result.status).toBe(leftOut ? 'completed' : 'tripwire')
      expect(stored).toHaveLength(leftOut ? 1 : 0)
      if (leftOut) expect(prompts[0]).toHaveLength(1)
      expect(all).toLeakNothingOf(parts)
    })
  })

  test.each(['redact', 'block', 'filter'] as const)(
    'with %s, no part of it is emitted, however the text is cut',
    async (strategy) => {
      const said = `Look, it is the ${value} and no other.`
      const begin = said.indexOf(value) + value.indexOf(' ') + 1
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(said.length), { maxLength: 12 }), async (places) => {
          const cuts = [0, ...places.sort((a, b) => a - b), said.length]
          const deltas = cuts.slice(1).map((end, index) => said.slice(cuts[index], end))
          const model = new ScriptedModel([[text(deltas)]])
          const agent = new Agent({ name: 'a', model, processors: [make({ strategy })] })
          let out = ''
          for await (const chunk of agent.stream('hi').fullStream) {
            if (chunk.type === 'text-delta') out += chunk.textDelta
            // At any time only the text before the value, and no part of the value.
            if (out.length <= begin) expect(said.startsWith(out)).toBe(true)
            else
              expect(out.slice(begin)).toSatisfy((rest: string) =>
                '[REDACTED] and no other.'.startsWith(rest),
              )
          }
        }),
        { numRuns: runs },
      )
    },
  )
})

/** A judge reads prose, not provider metadata. */
const judged = casesOf('name Quirin Abendroth').filter(({ surface }) => !surface.includes('provider'))

describe.each(['generate', 'stream'] as const)('a judge in %s', (how) => {
  const detector = { how, value: 'name Quirin Abendroth' }

  // A structured answer cannot be cut, so it is blocked.
  test.each(judged.filter(({ output }) => !output))('redacts in $surface', async (each) => {
    const { result, all, stored } = await play(each, { ...detector, detector: judgeOf('redact') })
    expect(result.status).toBe('completed')
    expect(all).toLeakNothingOf(['Quirin', 'Abendroth'])
    expect(stored).toHaveLength(1)
  })

  test.each(judged)('blocks in $surface', async (each) => {
    const { result, all, stored } = await play(each, { ...detector, detector: judgeOf('block') })
    const leftOut = each.others !== undefined
    expect(result.status).toBe(leftOut ? 'completed' : 'tripwire')
    expect(stored).toHaveLength(leftOut ? 1 : 0)
    expect(all).toLeakNothingOf(['Quirin', 'Abendroth'])
  })
})

test.each(['redact', 'block'] as const)(
  '%s never emits what a tool shows of an earlier call',
  async (strategy) => {
    const tools = toolsOf('name Quirin Abendroth')
    const call: Message = {
      id: 'past',
      role: 'assistant',
      createdAt: new Date(0),
      content: {
        parts: [
          { type: 'tool-show', toolCallId: 'c1', state: 'output-available', input: {}, output: 'done' },
        ],
      },
    }
    const past: Processor = {
      id: 'past',
      processInput: ({ messageList }) => {
        messageList.add(call, 'remembered')
        return messageList
      },
    }
    for (const guard of [
      judgeOf(strategy),
      new PIIDetector({ strategy, types: ['email'], entities: findsName }),
    ]) {
      const model = new ScriptedModel(['ok'])
      const result = await new Agent({ model, tools, processors: [past, guard] }).generate('hi')
      expect(result.status).toBe('completed')
      expect(model.lastPrompt).toPairEveryToolCall()
      expect(model.lastPrompt).toLeakNothingOf(['Quirin', 'Abendroth'])
    }
  },
)
