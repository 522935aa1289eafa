import { Agent, type Processor, Suspend, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { toJson } from '../../messages/json-output.ts'

/** All places where the output of one call shows, as JSON text. */
async function placesOf(execute: () => unknown, hooks: Partial<Processor> = {}) {
  const seen: unknown[] = []
  const guard: Processor = {
    id: 'guard',
    processExecution: ({ direction, value }) => void (direction === 'out' && seen.push(value)),
    processToolResult: ({ output, error }) => void seen.push(output ?? error),
    processOutputStream: ({ part }) => {
      if (part.type === 'tool-result') seen.push(part.output)
      return part
    },
  }
  const model = new ScriptedModel([toolCall('get', {}), 'Done.'])
  const tools = { get: tool({ inputSchema: z.object({}), execute }) }
  const agent = new Agent({ model, tools, processors: [{ id: 'before', ...hooks }, guard].filter(hasHooks) })
  const events: unknown[] = []
  agent.on('run-finish', ({ result }) => events.push(result.steps[0]?.toolResults[0]))
  const running = agent.stream('Go.')
  const chunks = await collect(running.fullStream)
  const result = await running.result
  await agent.close()
  const [toolResult] = result.steps[0]?.toolResults ?? []
  return { seen, chunks, result, toolResult, events, prompt: model.lastPrompt.at(-1)?.content as unknown[] }
}

function hasHooks(processor: Processor): boolean {
  return Object.keys(processor).length > 1
}

function expectEverywhere(places: Awaited<ReturnType<typeof placesOf>>, json: unknown): void {
  const text = JSON.stringify(json)
  const { seen, chunks, result, toolResult, events, prompt } = places
  const chunk = chunks.find(({ type }) => type === 'tool-result') as { output: unknown }
  const part = result.messages.flatMap(({ content }) => content.parts).find(({ type }) => type === 'tool-get')
  for (const place of [
    ...seen,
    chunk.output,
    (toolResult as { output: unknown }).output,
    (part as { output: unknown }).output,
    (events[0] as { output: unknown }).output,
  ]) {
    expect(place).toStrictEqual(json)
  }
  expect(seen.length).toBeGreaterThan(2)
  const shown = typeof json === 'string' ? { type: 'text', value: json } : { type: 'json', value: json }
  expect(JSON.stringify(prompt)).toContain(JSON.stringify(shown))
  expect(JSON.stringify(result.messages)).toContain(`"output":${text}`)
}

const anything = fc.oneof(
  fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withTypedArray: true,
    withNullPrototype: true,
  }),
  fc.record({ name: fc.string(), tags: fc.array(fc.string()).map((tags) => new Set(tags)) }),
  fc.record({ at: fc.date(), total: fc.bigInt(), note: fc.option(fc.string(), { nil: undefined }) }),
  fc.string().map(
    (secret) =>
      new (class Row {
        id = 1
        #secret = secret
        get text() {
          return this.#secret
        }
      })(),
  ),
  fc.string().map((secret) => Object.defineProperty({ id: 1 }, 'hidden', { value: secret })),
)

describe('the output of a tool', () => {
  test('is the same JSON everywhere, or an error', async () => {
    await fc.assert(
      fc.asyncProperty(anything, async (value) => {
        const places = await placesOf(() => value)
        let json: unknown
        try {
          json = toJson(value)
        } catch {
          expect(places.toolResult).toMatchObject({ status: 'error' })
          expect((places.toolResult as { error: string }).error).toMatch(
            /^The output of 'get' is not JSON: output/,
          )
          return
        }
        expectEverywhere(places, json)
      }),
      { numRuns: 60 },
    )
  })

  test('that is not JSON is an error with its path, for the model', async () => {
    const { toolResult, prompt, seen } = await placesOf(() => ({ rows: [{ tags: new Set(['secret']) }] }))
    expect(toolResult).toMatchObject({
      status: 'error',
      error: expect.stringContaining(
        "The output of 'get' is not JSON: output.rows[0].tags is an object of type Set",
      ),
    })
    expect(JSON.stringify([prompt, seen])).not.toContain('secret')
  })

  test('is copied at the end of execute, whatever the tool does with it later', async () => {
    const value = { text: 'harmless' }
    const places = await placesOf(() => {
      setImmediate(() => Object.assign(value, { text: 'secret' }))
      return value
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(value.text).toBe('secret')
    expectEverywhere(places, { text: 'harmless' })
  })

  test('is JSON in every preliminary result too', async () => {
    const places = await placesOf(async function* () {
      yield { at: new Date(0) }
      yield { at: new Date(1) }
    })
    const outputs = places.chunks.flatMap((chunk) => (chunk.type === 'tool-result' ? [chunk.output] : []))
    expect(outputs).toEqual([0, 1, 1].map((time) => ({ at: new Date(time).toISOString() })))

    let closed = false
    const failing = await placesOf(async function* () {
      try {
        yield new Map([['a', 'secret']])
        yield 'fine'
      } finally {
        closed = true
      }
    })
    expect(closed).toBe(true)
    expect(failing.toolResult).toMatchObject({ status: 'error' })
    expect(JSON.stringify(failing.chunks)).not.toContain('secret')
  })

  test('that is thrown is only its message', async () => {
    const error = Object.assign(new Error('No such city.'), { request: new Map([['key', 'secret']]) })
    const { toolResult, chunks, prompt } = await placesOf(() => Promise.reject(error))
    expect(toolResult).toMatchObject({ status: 'error', error: 'No such city.' })
    expect(chunks.find(({ type }) => type === 'tool-error')).toEqual({
      type: 'tool-error',
      toolCallId: 'call-1',
      toolName: 'get',
      input: {},
      error: 'No such city.',
    })
    expect(JSON.stringify(prompt)).not.toContain('secret')
  })

  test('with bytes in the form of content reaches the model as a file', async () => {
    const data = { type: 'data', data: new Uint8Array([1, 2]) }
    const { prompt } = await placesOf(() => ({
      type: 'content',
      value: [{ type: 'file', mediaType: 'image/png', data }],
    }))
    expect(prompt).toMatchObject([
      { output: { type: 'content', value: [{ type: 'file', data: { type: 'data', data: 'AQI=' } }] } },
    ])
  })
})

test('bytes that toModelOutput makes of an output reach the model', async () => {
  const model = new ScriptedModel([toolCall('get', {}), 'Done.'])
  const get = tool({
    inputSchema: z.object({}),
    execute: () => ({ base64: 'AQI=' }),
    toModelOutput: ({ output }) => ({
      type: 'content',
      value: [
        {
          type: 'file',
          mediaType: 'image/png',
          data: { type: 'data', data: Buffer.from(output.base64, 'base64') },
        },
      ],
    }),
  })
  await new Agent({ model, tools: { get } }).generate('Go.')
  expect(model.lastPrompt.at(-1)?.content).toMatchObject([
    { output: { value: [{ data: { type: 'data', data: Buffer.from([1, 2]) } }] } },
  ])
})

describe('what a hook returns in place of an output', () => {
  test.each<[string, Partial<Processor>]>([
    ['processToolCall', { processToolCall: () => ({ output: { at: new Date(0) } }) }],
    ['processToolResult', { processToolResult: () => ({ output: { at: new Date(0) } }) }],
    [
      'processExecution',
      {
        processExecution: ({ direction }) =>
          direction === 'out' ? { value: { at: new Date(0) } } : undefined,
      },
    ],
  ])('is JSON: %s', async (_, hooks) => {
    const { toolResult } = await placesOf(() => 'fine', hooks)
    expect(toolResult).toMatchObject({ status: 'success', output: { at: '1970-01-01T00:00:00.000Z' } })
  })

  test.each<[string, Partial<Processor>]>([
    ['processToolCall', { processToolCall: () => ({ output: [new Map()] }) }],
    ['processToolResult', { processToolResult: () => ({ output: [new Map()] }) }],
    [
      'processToolResult',
      {
        processToolResult: ({ output }) => void (output as unknown[]).splice(0, 1, new Map()),
      },
    ],
    [
      'processExecution',
      {
        processExecution: ({ direction }) => (direction === 'out' ? { value: [new Map()] } : undefined),
      },
    ],
    [
      'processExecution',
      {
        processExecution: ({ direction, value }) => {
          if (direction === 'out') (value as unknown[]).splice(0, 1, new Map())
        },
      },
    ],
  ])('fails the run where it is not: %s', async (hook, hooks) => {
    const failed = await placesOf(() => ['fine'], hooks).catch((error) => error)
    expect(failed).toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
    expect(failed.message).toContain(hook)
    expect(failed.message).toContain('output[0] is an object of type Map')
  })
})

describe('the payload of a suspension', () => {
  test('is JSON in the result, the chunk and the store', async () => {
    const suspending = tool({
      inputSchema: z.object({}),
      execute: (): string => {
        throw new Suspend({ at: new Date(0), left: undefined })
      },
    })
    const agent = new Agent({
      model: new ScriptedModel([toolCall('get', {})]),
      tools: { get: suspending },
      storage: new InMemoryRunStore(),
    })
    const running = agent.stream('Go.')
    const chunks = await collect(running.fullStream)
    const { suspension } = await running.result
    const json = { at: '1970-01-01T00:00:00.000Z' }
    expect(suspension?.payload).toStrictEqual(json)
    expect(chunks.at(-1)).toMatchObject({ type: 'suspended', payload: json })
    expect((await agent.suspendedRuns())[0]?.payload).toStrictEqual(json)
  })

  test.each([
    [
      'a tool',
      {
        get: () => {
          throw new Suspend({ items: new Set(['a']) })
        },
      },
      [],
    ],
    [
      'a hook',
      { get: () => 'fine' },
      [
        {
          id: 'asks',
          processToolCall: ({ suspend }) => suspend({ items: new Set(['a']) }),
        } satisfies Processor,
      ],
    ],
  ])('fails the run where it is not JSON: %s', async (_, { get }, processors) => {
    const tools = { get: tool({ inputSchema: z.object({}), execute: get as () => string }) }
    const agent = new Agent({ model: new ScriptedModel([toolCall('get', {})]), tools, processors })
    await expect(agent.generate('Go.')).rejects.toMatchObject({
      code: 'RUN_STATE_NOT_JSON',
      message: expect.stringContaining('payload.items is an object of type Set'),
    })
  })
})

describe('the output of a client tool', () => {
  const tools = { get: tool({ inputSchema: z.object({}) }) }

  test('is JSON', async () => {
    const model = new ScriptedModel([toolCall('get', {}), 'Done.'])
    const agent = new Agent({ model, tools })
    const { suspension } = await agent.generate('Go.')
    const result = await suspension?.resume({ at: new Date(0) })
    expect(result?.steps[0]?.toolResults[0]).toMatchObject({ output: { at: '1970-01-01T00:00:00.000Z' } })
  })

  test('is refused if it is not, and the run still waits', async () => {
    const agent = new Agent({ model: new ScriptedModel([toolCall('get', {}), 'Done.']), tools })
    const { suspension } = await agent.generate('Go.')
    await expect(suspension?.resume({ tags: new Set(['a']) }).result).rejects.toMatchObject({
      code: 'RUN_RESUME_INVALID',
      message: expect.stringContaining('data.tags is an object of type Set'),
    })
    expect((await suspension?.resume({ tags: ['a'] }))?.status).toBe('completed')
  })
})

test('the answer of an agent as a tool is JSON', async () => {
  const inner = new Agent({ model: new ScriptedModel(['{"at":"1970-01-01T00:00:00.000Z"}']) })
  const model = new ScriptedModel([toolCall('get', { prompt: 'When?' }), 'Done.'])
  const output = z.object({ at: z.string().transform((at) => new Date(at)) })
  const agent = new Agent({ model, tools: { get: inner.asTool({ run: { output } }) } })
  const { steps } = await agent.generate('Go.')
  expect(steps[0]?.toolResults[0]).toMatchObject({ output: { at: '1970-01-01T00:00:00.000Z' } })
})
