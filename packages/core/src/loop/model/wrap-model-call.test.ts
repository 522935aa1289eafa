import { collect, fail, refuse, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { WrapModelCallArgs } from '../../processors/model-hooks.ts'
import type { Processor } from '../../processors/processor.ts'
import type { Chunk } from '../../results/chunk.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'
import { emptyUsage } from '../../usage.ts'

expect.extend(matchers)

type Wrap = NonNullable<Processor['wrapModelCall']>

function wrapper(wrapModelCall: Wrap, id = 'wrapper'): Processor {
  return { id, wrapModelCall }
}

async function run(model: ScriptedModel, processors: Processor[], options: Partial<AgentOptions> = {}) {
  const stream = new Agent({ model, processors, ...options }).stream('Hi')
  const chunks = await collect(stream.fullStream)
  return { chunks, result: await stream.result }
}

describe('nesting', () => {
  test('has the first processor outermost, and each receives the chunks of the inner one', async () => {
    const order: string[] = []
    const layer = (id: string) =>
      wrapper(async function* ({ request, next }) {
        order.push(`${id} before`)
        for await (const chunk of next(request)) {
          yield chunk.type === 'text-delta' ? { ...chunk, textDelta: `${id}(${chunk.textDelta})` } : chunk
        }
        order.push(`${id} after`)
      }, id)
    const { result } = await run(new ScriptedModel([text(['x'])]), [layer('outer'), layer('inner')])
    expect(result).toHaveText('outer(inner(x))')
    expect(order).toEqual(['outer before', 'inner before', 'inner after', 'outer after'])
  })

  test('a processor that returns what next gave is bypassed: reading it separately gives nothing', async () => {
    const model = new ScriptedModel([text(['x'])])
    let kept: AsyncIterable<Chunk> | undefined
    const { result } = await run(model, [
      wrapper(({ request, next }) => {
        kept = next(request)
        return kept
      }),
    ])
    expect(result).toHaveText('x')
    expect(await collect(kept as AsyncIterable<Chunk>)).toEqual([])
    expect(model.calls).toHaveLength(1)
    expect(result.processors).toMatchObject([{ hook: 'wrapModelCall', action: 'passed', calls: 1 }])
  })

  test('a processor that has started to read what next gave gets all of it', async () => {
    const model = new ScriptedModel([text(['x', 'y'])])
    const seen: string[] = []
    const { result } = await run(model, [
      wrapper(async ({ request, next }) => {
        const chunks = next(request)[Symbol.asyncIterator]()
        const first = await chunks.next()
        if (!first.done) seen.push(first.value.type)
        return {
          async *[Symbol.asyncIterator]() {
            if (!first.done) yield first.value
            for (let read = await chunks.next(); !read.done; read = await chunks.next()) yield read.value
          },
        }
      }),
    ])
    expect(seen).toHaveLength(1)
    expect(result).toHaveText('xy')
  })

  test('a processor that changes the request and passes the chunks is recorded as changed', async () => {
    const { result } = await run(new ScriptedModel([text(['x'])]), [
      wrapper(({ request, next }) => next({ ...request, modelSettings: { temperature: 0 } })),
    ])
    expect(result.processors).toMatchObject([{ hook: 'wrapModelCall', action: 'changed' }])
  })

  test('changes the request of this call, not the transcript', async () => {
    const model = new ScriptedModel([toolCall('look'), 'Done.'])
    const { result } = await run(
      model,
      [
        wrapper(({ request, next }) =>
          next({ ...request, prompt: [{ role: 'system', content: 'Added.' }, ...request.prompt] }),
        ),
      ],
      { tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) } },
    )
    expect(model.calls.map(({ prompt }) => prompt.filter(({ role }) => role === 'system'))).toEqual([
      [{ role: 'system', content: 'Added.' }],
      [{ role: 'system', content: 'Added.' }],
    ])
    expect(JSON.stringify(result.messages)).not.toContain('Added.')
  })

  test('may freeze its request', async () => {
    const model = new ScriptedModel([[toolCall('look', {})], 'Seen.'])
    const look = tool({ inputSchema: z.object({}), execute: () => 'it' })
    const freezing = wrapper(({ request, next }) => {
      Object.freeze(request.prompt)
      return next(Object.freeze(request))
    })
    const { result } = await run(model, [freezing], { tools: { look } })
    expect(result).toMatchObject({ status: 'completed', text: 'Seen.' })
  })

  test('is around every model call, retries of a step included', async () => {
    const steps: number[] = []
    await run(new ScriptedModel(['Bad.', 'Good.']), [
      wrapper(({ request, next, stepNumber }) => {
        steps.push(stepNumber)
        return next(request)
      }),
      {
        id: 'judge',
        processOutputStep: ({ text, abort }) => (text === 'Bad.' ? abort('no', { retry: true }) : undefined),
      },
    ])
    expect(steps).toEqual([0, 0])
  })

  test('passes its chunks to the stream hooks', async () => {
    const { result } = await run(new ScriptedModel(['secret']), [
      wrapper(async function* ({ request, next }) {
        for await (const chunk of next(request)) {
          yield chunk.type === 'text-delta' ? { ...chunk, textDelta: 'harmless' } : chunk
        }
      }),
      {
        id: 'guard',
        processOutputStream: ({ part, abort }) =>
          part.type === 'text-delta' && part.textDelta.includes('secret') ? abort('leak') : part,
      },
    ])
    expect(result).toHaveText('harmless')
  })
})

describe('in place of the model', () => {
  const recorded: Chunk[] = [
    { type: 'text-start', id: '1' },
    { type: 'text-delta', id: '1', textDelta: 'From the cache.' },
    { type: 'text-end', id: '1' },
    { type: 'step-finish', stepNumber: 0, finishReason: 'stop', usage: emptyUsage() },
  ]

  test('recorded chunks can be replayed', async () => {
    const model = new ScriptedModel([])
    const { result, chunks } = await run(model, [
      wrapper(async function* () {
        yield* recorded
      }),
    ])
    expect(result).toBeCompleted()
    expect(result).toHaveText('From the cache.')
    expect(textOf(chunks)).toBe('From the cache.')
    expect(model.callCount).toBe(0)
  })

  test('a cache replays the first run in the second, including its tool calls', async () => {
    const cache = new Map<string, Chunk[]>()
    let executed = 0
    const model = new ScriptedModel([toolCall('look', { at: 1 }), 'Done.'])
    const agent = new Agent({
      model,
      tools: {
        look: tool({ inputSchema: z.object({ at: z.number() }), execute: () => `seen ${++executed}` }),
      },
      processors: [
        wrapper(async function* ({ request, next, stepNumber }) {
          const key = String(stepNumber)
          const known = cache.get(key)
          if (known) {
            yield* known
            return
          }
          const chunks: Chunk[] = []
          for await (const chunk of next(request)) {
            chunks.push(chunk)
            yield chunk
          }
          cache.set(key, chunks)
        }),
      ],
    })
    const first = await agent.generate('Hi')
    const second = await agent.generate('Hi')
    expect(model.callCount).toBe(2)
    expect(executed).toBe(2)
    expect(second.text).toBe(first.text)
    expect(second.steps[0]?.toolCalls[0]?.input).toEqual({ at: 1 })
    expect(second.steps[0]?.request).toEqual(first.steps[0]?.request)
    expect(second.messages).toPairEveryToolCall()
  })

  test('another model can answer: a fallback', async () => {
    const broken = new ScriptedModel([refuse(new Error('down'))])
    const spare = new ScriptedModel(['Spare.'])
    const { result } = await run(
      broken,
      [
        wrapper(async function* ({ request, next }) {
          try {
            yield* next(request)
          } catch {
            yield* next({ ...request, model: spare })
          }
        }),
      ],
      { modelSettings: { maxRetries: 0 } },
    )
    expect(result).toHaveText('Spare.')
    expect(result.usage).toMatchObject({ totalTokens: 15 })
    expect([broken.callCount, spare.callCount]).toEqual([1, 1])
  })

  test('calls of a replayed answer are executed only if its finish reason allows it', async () => {
    let executed = 0
    const { result } = await run(
      new ScriptedModel([]),
      [
        wrapper(async function* () {
          yield { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} } as const
        }),
      ],
      {
        tools: {
          look: tool({ inputSchema: z.object({}), execute: () => ++executed }),
        },
      },
    )
    expect(executed).toBe(0)
    expect(result.finishReason).toBe('interrupted')
    expect(result.messages).toPairEveryToolCall()
  })
})

test.for([null, 'text', { text: 'x' }])('%j in place of a chunk fails the run', async (value) => {
  const odd = wrapper(async function* ({ request, next }) {
    yield value as never
    yield* next(request)
  })
  const agent = new Agent({ model: new ScriptedModel(['Hi.']), processors: [odd] })
  await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
})

describe('an error', () => {
  const passing = wrapper(({ request, next }) => next(request))
  const generator = wrapper(async function* ({ request, next }) {
    yield* next(request)
  })

  test.each([
    ['handed on', passing],
    ['through a generator', generator],
  ])('of the provider stays the provider’s: %s', async (_, processor) => {
    const cause = new Error('down')
    const agent = (script: ConstructorParameters<typeof ScriptedModel>[0]) =>
      new Agent({
        model: new ScriptedModel(script),
        processors: [processor, { ...processor, id: 'inner' }],
        modelSettings: { maxRetries: 0 },
      })
    await expect(agent([refuse(cause)]).generate('Hi')).rejects.toMatchObject({
      code: 'MODEL_CALL_FAILED',
      cause,
    })
    await expect(agent([['Hal', fail(cause)]]).generate('Hi')).rejects.toMatchObject({
      code: 'MODEL_STREAM_FAILED',
      cause,
    })
  })

  test('of the processor itself is a processor error, before and after next', async () => {
    const cause = new Error('mine')
    const before = wrapper(() => {
      throw cause
    })
    const after = wrapper(async function* ({ request, next }) {
      yield* next(request)
      throw cause
    })
    for (const processor of [before, after]) {
      await expect(
        new Agent({ model: new ScriptedModel(['x']), processors: [processor] }).generate('Hi'),
      ).rejects.toMatchObject({ code: 'PROCESSOR_FAILED', cause })
    }
  })

  test("of the processor that wraps the provider's error is a processor error", async () => {
    const processor = wrapper(async function* ({ request, next }) {
      try {
        yield* next(request)
      } catch (cause) {
        throw new Error('wrapped', { cause })
      }
    })
    const model = new ScriptedModel([refuse(new Error('down'))])
    await expect(
      new Agent({ model, processors: [processor], modelSettings: { maxRetries: 0 } }).generate('Hi'),
    ).rejects.toMatchObject({ code: 'PROCESSOR_FAILED', cause: { message: 'wrapped' } })
  })

  test.each<[string, Wrap]>([
    ['a value that is no iterable', () => 'text' as never],
    ['nothing', () => undefined as never],
  ])('returning %s', async (what, wrapModelCall) => {
    const agent = new Agent({ model: new ScriptedModel(['x']), processors: [wrapper(wrapModelCall)] })
    if (what === 'nothing') expect(await agent.generate('Hi')).toHaveText('x')
    else await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
  })

  test("skips a processor with onError 'skip' unless one of its chunks was emitted", async () => {
    const broken: Processor = {
      ...wrapper(() => {
        throw new Error('mine')
      }),
      onError: 'skip',
    }
    const { result } = await run(new ScriptedModel(['x']), [broken])
    expect(result).toHaveText('x')
    expect(result.warnings).toMatchObject([{ type: 'processor-skipped', hook: 'wrapModelCall' }])

    const late: Processor = {
      ...wrapper(async function* ({ request, next }) {
        yield* next(request)
        throw new Error('mine')
      }),
      onError: 'skip',
    }
    await expect(
      new Agent({ model: new ScriptedModel(['x']), processors: [late] }).generate('Hi'),
    ).rejects.toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
  })
})

describe('a signal', () => {
  const afterNext = (act: (args: WrapModelCallArgs) => void): Wrap =>
    async function* (args) {
      for await (const chunk of args.next(args.request)) {
        if (chunk.type === 'text-delta') act(args)
        yield chunk
      }
    }

  test.each<[string, Wrap]>([
    ['thrown on', afterNext(({ suspend }) => suspend('late'))],
    [
      'swallowed',
      afterNext(({ suspend }) => {
        try {
          suspend('late')
        } catch {
          // As a processor with a broad catch would.
        }
      }),
    ],
  ])('suspends before next only: %s', async (_, wrapModelCall) => {
    const agent = new Agent({
      model: new ScriptedModel(['x']),
      processors: [wrapper(wrapModelCall)],
      storage: new InMemoryRunStore(),
    })
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
    expect(await agent.suspendedRuns()).toEqual([])
  })

  test('aborts and halts after next too, and discards what was emitted', async () => {
    const aborting = wrapper(afterNext(({ abort }) => abort('no')))
    const aborted = await run(new ScriptedModel([['secret', 'more']]), [aborting])
    expect(aborted.result).toHaveTripped({ processorId: 'wrapper', hook: 'wrapModelCall' })
    expect(aborted.result).toLeakNothingOf('secret')

    const halting = wrapper(afterNext(({ halt }) => halt('Instead.')))
    const halted = await run(new ScriptedModel([['secret', 'more']]), [halting])
    expect(halted.result).toHaveStatus('halted')
    expect(halted.result).toHaveText('Instead.')
    expect(halted.result).toLeakNothingOf('secret')
    expect(textOf(halted.chunks)).toBe('Instead.')
  })

  test('from an inner processor stays what it is if an outer one wraps it in an error', async () => {
    const wrapping = wrapper(async function* ({ request, next }) {
      try {
        yield* next(request)
      } catch (cause) {
        throw new Error('wrapped', { cause })
      }
    }, 'wrapping')
    const inner = wrapper(({ halt }) => halt('Stop.'), 'inner')
    const { result } = await run(new ScriptedModel([]), [wrapping, inner])
    expect(result).toHaveStatus('halted')
    expect(result.halt?.processorId).toBe('inner')
  })

  // An outer processor that falls back on any error must not get past an inner one that said stop.
  test.each(['abort', 'halt', 'suspend', 'throw'] as const)(
    'from an inner processor cannot be caught by an outer one: %s',
    async (signal) => {
      const spare = new ScriptedModel(['Spare.'])
      const fallback = wrapper(async function* ({ request, next }) {
        try {
          yield* next(request)
        } catch {
          yield* [
            { type: 'text-start', id: '1' },
            { type: 'text-delta', id: '1', textDelta: 'As if nothing had happened.' },
            { type: 'text-end', id: '1' },
            { type: 'step-finish', stepNumber: 0, finishReason: 'stop', usage: emptyUsage() },
          ] as const
        }
      }, 'fallback')
      const inner = wrapper((args) => {
        if (signal === 'throw') throw new Error('inner is broken')
        return args[signal]('stop')
      }, 'inner')
      const agent = new Agent({ model: spare, processors: [fallback, inner] })
      const outcome = await agent.generate('Hi').catch((error) => error)
      expect(spare.callCount).toBe(0)
      if (signal === 'throw') {
        expect(outcome).toMatchObject({ code: 'PROCESSOR_FAILED' })
        expect(outcome.message).toContain("'inner'")
      } else {
        expect(outcome.status).toBe({ abort: 'tripwire', halt: 'halted', suspend: 'suspended' }[signal])
        expect((outcome.rejection ?? outcome.halt ?? outcome.suspension).processorId).toBe('inner')
      }
    },
  )
})
