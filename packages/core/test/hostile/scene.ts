import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import {
  Agent,
  type AgentOptions,
  type Chunk,
  type Message,
  type Processor,
  type RunOptions,
  type RunResult,
  type Tool,
  tool,
} from '@millrace/core'
import { collect } from '@millrace/testing'
import { jsonSchema } from 'ai'
import { z } from 'zod'
import { finish } from '../cost/inline-model.ts'

/** How a run is asked for. `resume`: it waits for a client's tool in its first step, and is resumed. */
export const WAYS = ['generate', 'stream', 'resume'] as const

export type Way = (typeof WAYS)[number]

/** What can be seen of a run from outside, ids and times aside. */
export interface Seen {
  calls: unknown[]
  chunks: unknown[]
  result: unknown
}

const answer = z.object({ text: z.string() })
const place = z.object({ city: z.string(), days: z.array(z.object({ day: z.number() })).optional() })
const nothing = z.object({})
const schema = jsonSchema({ type: 'object', properties: { precise: { type: 'boolean' } } })

/** Behind all others, which see the failure first. */
const retries: Processor = { id: 'retries', processModelError: () => ({ retry: true }) }

/** A tool that needs itself: with private fields, and a description by a getter. */
class Counter {
  readonly inputSchema = nothing
  #count = 41
  get description(): string {
    return `Counts from ${this.#count}.`
  }
  execute(): number {
    return this.#count + 1
  }
}

/** An agent that has something in every option, and everything that belongs to it. */
export class Scene {
  readonly calls: LanguageModelV4CallOptions[] = []
  readonly options: AgentOptions
  readonly input: Message[]
  readonly agent: Agent
  readonly #way: Way

  constructor(way: Way) {
    this.#way = way
    this.input = conversation()
    this.options = optionsOf(this.#model())
    this.agent = new Agent(this.options)
  }

  async run(processors: readonly Processor[]): Promise<Seen> {
    this.calls.length = 0
    const call: RunOptions = { processors: [...processors, retries], output: answer, trusted: true }
    const { result, chunks } = await this.#ask(call)
    const seen: Seen = { calls: this.calls.map(({ abortSignal: _, ...rest }) => rest), chunks, result }
    return normalized(seen)
  }

  async #ask(call: RunOptions): Promise<{ result: RunResult; chunks: Chunk[] }> {
    if (this.#way === 'generate') return { result: await this.agent.generate(this.input, call), chunks: [] }
    const running = this.agent.stream(this.input, call)
    const chunks = await collect(running.fullStream)
    const result = await running.result
    if (result.status !== 'suspended') return { result, chunks }
    const resumed = this.agent.resume(result.suspension.runId, { place: { city: 'Oslo' } }, call)
    const rest = await collect(resumed.fullStream)
    return { result: await resumed.result, chunks: [...chunks, ...rest] }
  }

  /** Fails once, calls tools in the first step, and answers in the second. */
  #model(): LanguageModelV4 {
    const way = this.#way
    const { calls } = this
    return {
      specificationVersion: 'v4',
      provider: 'scene',
      modelId: 'scene',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('The agent streams.')),
      doStream: async (options) => {
        calls.push(copyOf(options))
        const answered = options.prompt.some(
          ({ role, content }) =>
            role === 'tool' && content.some((part) => 'toolCallId' in part && part.toolCallId === 'new-1'),
        )
        const fails = !answered && calls.length === 1
        const parts = fails ? FAILURE : answered ? ANSWER : callsOf(way)
        return { stream: ReadableStream.from(parts) }
      },
    }
  }
}

function copyOf({ abortSignal: _, ...options }: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
  return structuredClone(options)
}

const FAILURE: LanguageModelV4StreamPart[] = [{ type: 'error', error: new Error('Broken off.') }]

const ANSWER: LanguageModelV4StreamPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'reasoning-start', id: 'r', providerMetadata: { scene: { key: 'r' } } },
  { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
  { type: 'reasoning-end', id: 'r' },
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: '{"text":' },
  { type: 'text-delta', id: 't', delta: '"Fine."}' },
  { type: 'text-end', id: 't' },
  { type: 'source', sourceType: 'url', id: 's', url: 'https://example.com/', title: 'Example' },
  finish('stop'),
]

function callsOf(way: Way): LanguageModelV4StreamPart[] {
  const call = (toolCallId: string, toolName: string, input: object): LanguageModelV4StreamPart => ({
    type: 'tool-call',
    toolCallId,
    toolName,
    input: JSON.stringify(input),
  })
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: 'Looking.' },
    { type: 'text-end', id: 't' },
    call('new-1', 'weather', { city: 'Oslo', days: [{ day: 1 }] }),
    call('new-2', 'count', {}),
    ...(way === 'resume' ? [call('new-3', 'locate', { precise: true })] : []),
    finish('tool-calls'),
  ]
}

/** What an agent shares between its runs, made anew for each scene. */
function optionsOf(model: LanguageModelV4): AgentOptions {
  const weather = tool({
    description: 'The weather',
    title: 'Weather',
    metadata: { icons: [{ name: 'sun' }] },
    inputSchema: place,
    inputExamples: [{ input: { city: 'Oslo' } }],
    providerOptions: { scene: { cache: { ttl: 1 } } },
    execute: ({ city }) => ({ city, hours: [{ degrees: 7 }] }),
    toModelOutput: ({ output }) => ({ type: 'json', value: output }),
  })
  const search: Tool = {
    type: 'provider',
    id: 'scene.search',
    args: { limits: { most: 3 } },
    inputSchema: schema,
  }
  return {
    name: 'scene',
    model,
    instructions: [
      { role: 'system', content: 'Be kind.', providerOptions: { scene: { cache: { ttl: 2 } } } },
      { role: 'system', content: 'Be brief.' },
    ],
    tools: { weather, count: new Counter(), locate: { inputSchema: schema }, search },
    activeTools: ['weather', 'count', 'locate', 'search'],
    toolChoice: { type: 'tool', toolName: 'weather' },
    modelSettings: { temperature: 0, stopSequences: ['END'], headers: { 'x-scene': '1' }, maxRetries: 0 },
    providerOptions: { scene: { nested: { list: [{ a: 1 }] } } },
    stopWhen: [({ steps }) => steps.length > 5],
  }
}

/** With something nested in every part. */
function conversation(): Message[] {
  return [
    {
      id: 'm-1',
      role: 'system',
      createdAt: new Date(0),
      content: { parts: [{ type: 'text', text: 'Know this.' }] },
    },
    {
      id: 'm-2',
      role: 'user',
      createdAt: new Date(0),
      content: {
        parts: [
          { type: 'text', text: 'Hello.', providerMetadata: { scene: { mark: { a: 1 } } } },
          { type: 'data-place', data: { nested: { list: [1] } } },
        ],
        metadata: { tags: ['a'] },
      },
    },
    {
      id: 'm-3',
      role: 'assistant',
      createdAt: new Date(0),
      content: {
        parts: [
          {
            type: 'tool-weather',
            toolCallId: 'old-1',
            state: 'output-available',
            input: { city: 'Rome' },
            output: { hours: [{ degrees: 20 }] },
          },
          { type: 'text', text: 'Warm.' },
        ],
      },
    },
    {
      id: 'm-4',
      role: 'user',
      createdAt: new Date(0),
      content: { parts: [{ type: 'text', text: 'And here?' }] },
    },
  ]
}

const CHANCE = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g

function normalized(seen: Seen): Seen {
  const json = JSON.stringify(seen, (key, value) => {
    if (key === 'durationMs' || key === 'createdAt' || key === 'timestamp') return 0
    return value
  })
  return JSON.parse(json.replaceAll(CHANCE, 'id'))
}
