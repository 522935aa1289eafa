import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { collect, gate, hang, ScriptedModel, text, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { HookName } from '../../hook-name.ts'
import { userMessage } from '../../messages/input.ts'
import type { Message } from '../../messages/message.ts'
import type { Processor } from '../../processors/processor.ts'
import { TripWire } from '../../signals.ts'
import { tool } from '../../tools/tool.ts'
import type { MessageList } from '../../transcript/message-list.ts'

expect.extend(matchers)

const HOOKS: readonly HookName[] = [
  'processInput',
  'processInputStep',
  'processOutputStream',
  'processOutputStep',
  'processOutputResult',
]

const unhandled: unknown[] = []
const note = (reason: unknown): void => {
  unhandled.push(reason)
}
beforeAll(() => {
  process.on('unhandledRejection', note)
})
afterAll(() => {
  process.off('unhandledRejection', note)
})
beforeEach(() => {
  unhandled.length = 0
})

/** Rejections count as unhandled once the microtasks are done: two turns of the event loop are enough to see them. */
async function expectNoUnhandledRejection(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(unhandled).toEqual([])
}

/** A promise with its two ends in hand. */
function deferred<T>(): {
  promise: Promise<T>
  resolve: (value: T) => void
  reject: (error: unknown) => void
} {
  let resolve: (value: T) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<T>((...ends) => {
    ;[resolve, reject] = ends
  })
  return { promise, resolve, reject }
}

/** A processor that does something in one hook, on the first text where the hook sees chunks. */
function inHook(
  hook: HookName,
  act: (args: { abort: (reason?: string, options?: any) => never }) => unknown,
) {
  const processor: Processor = {
    id: 'guard',
    [hook]: (args: any) => {
      if (args.part === undefined) return act(args)
      if (args.part.type === 'text-delta') {
        const result = act(args)
        return result instanceof Promise ? result.then(() => args.part) : args.part
      }
      return args.part
    },
  }
  return processor
}

describe.each(HOOKS)('an abort in %s', (hook) => {
  const metadata = { score: 0.9 }
  const guards: [string, Processor][] = [
    ['at once', inHook(hook, ({ abort }) => abort('Not allowed.', { metadata }))],
    [
      'after a wait',
      inHook(hook, async ({ abort }) => {
        await Promise.resolve()
        abort('Not allowed.', { metadata })
      }),
    ],
    [
      'although the hook catches what abort throws',
      inHook(hook, ({ abort }) => {
        try {
          abort('Not allowed.', { metadata })
        } catch {}
      }),
    ],
    [
      'although the hook throws something else then',
      inHook(hook, async ({ abort }) => {
        try {
          abort('Not allowed.', { metadata })
        } catch {
          throw new Error('Something else.')
        }
      }),
    ],
    [
      'as a TripWire thrown below the hook',
      inHook(hook, () => {
        throw new TripWire('Not allowed.', { metadata })
      }),
    ],
  ]

  test.each(guards)('ends the run as a tripwire: %s', async (_, guard) => {
    const model = new ScriptedModel(['A secret answer'])
    const stream = new Agent({ model, processors: [guard] }).stream('Hello')
    const chunks = await collect(stream.fullStream)
    const result = await stream.result

    expect(result).toHaveTripped({
      reason: 'Not allowed.',
      processorId: 'guard',
      hook,
      metadata,
      retryCount: 0,
    })
    expect(result.text).toBe('')
    expect(result.messages).toEqual([])
    expect(result.steps).toEqual([])
    expect(result).toLeakNothingOf('secret')
    expect(chunks.filter(({ type }) => type === 'tripwire')).toEqual([chunks.at(-1)])
    expect(chunks.at(-1)).toEqual({ type: 'tripwire', ...result.rejection })
    const discarded = chunks.filter(({ type }) => type === 'step-discarded')
    const started = chunks.some(({ type }) => type === 'step-start')
    expect(discarded).toMatchObject(started ? [{ stepNumber: 0, retry: false }] : [])
    expect(await stream.tripwire).toBe(true)
    expect(await stream.text).toBe('')
    expect(await stream.rejection).toEqual(result.rejection)
    await expectNoUnhandledRejection()
  })

  test('ends generate with the same rejection', async () => {
    const guard = inHook(hook, ({ abort }) => abort('Not allowed.', { metadata }))
    const agent = new Agent({ model: new ScriptedModel(['A secret answer']), processors: [guard] })
    const result = await agent.generate('Hello')
    expect(result).toHaveTripped({ reason: 'Not allowed.', processorId: 'guard', hook, metadata })
    expect(result).toLeakNothingOf('secret')
  })

  test("emits nothing of the step with emit 'step', so nothing is discarded", async () => {
    const guard = inHook(hook, ({ abort }) => abort('Not allowed.'))
    const agent = new Agent({
      model: new ScriptedModel(['A secret answer']),
      processors: [guard],
      emit: 'step',
    })
    expect(await collect(agent.stream('Hello').fullStream)).toHaveChunkTypes(['start', 'tripwire'])
  })
})

test('keeps the steps before the rejected one', async () => {
  const model = new ScriptedModel([['Step one. ', toolCall('look')], 'A secret answer'])
  const agent = new Agent({
    model,
    tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
    processors: [
      {
        id: 'guard',
        processOutputStep: ({ stepNumber, abort }) => {
          if (stepNumber === 1) abort('Enough.')
        },
      },
    ],
  })
  const stream = agent.stream('Hello')
  const chunks = await collect(stream.fullStream)
  const result = await stream.result

  expect(result).toHaveTripped({ reason: 'Enough.' })
  expect(result.text).toBe('')
  expect(result.steps.map(({ text }) => text)).toEqual(['Step one. '])
  expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'success', output: 'seen' }])
  expect(result.messages[0]?.content.parts).toHaveLength(3)
  expect(result.messages).toPairEveryToolCall()
  expect(result).toLeakNothingOf('secret')
  expect(chunks.filter(({ type }) => type === 'step-discarded')).toMatchObject([{ stepNumber: 1 }])
})

test('names no processor when a tool throws the TripWire itself', async () => {
  const agent = new Agent({
    model: new ScriptedModel([toolCall('pay')]),
    tools: {
      pay: tool({
        inputSchema: z.object({}),
        execute: () => {
          throw new TripWire('Budget spent.', { metadata: 7 })
        },
      }),
    },
  })
  const stream = agent.stream('Pay')
  const chunks = await collect(stream.fullStream)
  expect(await stream.result).toHaveTripped({
    reason: 'Budget spent.',
    processorId: undefined,
    hook: undefined,
    metadata: 7,
  })
  expect(chunks.slice(-2)).toHaveChunkTypes(['step-discarded', 'tripwire'])
})

describe('an abort from outside', () => {
  const never = (): Promise<never> => new Promise(() => {})

  test('before the run ends it without a model call', async () => {
    const model = new ScriptedModel(['unused'])
    const reason = new Error('Not wanted.')
    const stream = new Agent({ model }).stream('Hello', { abortSignal: AbortSignal.abort(reason) })
    const chunks = await collect(stream.fullStream)
    const result = await stream.result

    expect(result).toHaveStatus('aborted')
    expect(result.abortReason).toBe(reason)
    expect(chunks).toHaveChunkTypes(['start', 'abort'])
    expect(model.callCount).toBe(0)
    await expectNoUnhandledRejection()
  })

  test('settles every promise at once while the model hangs and ignores the signal', async () => {
    const model = new ScriptedModel([['Half an ', hang({ ignoreAbort: true })]])
    const controller = new AbortController()
    const stream = new Agent({ model }).stream('Hello', { abortSignal: controller.signal })
    const all = Promise.all([
      stream.result,
      stream.text,
      stream.steps,
      stream.messages,
      stream.usage,
      stream.finishReason,
      stream.object,
      stream.status,
      stream.tripwire,
      stream.rejection,
      stream.warnings,
    ])
    const chunks: string[] = []
    for await (const { type } of stream.fullStream) {
      chunks.push(type)
      if (type === 'text-delta') controller.abort('Enough.')
    }
    const [result, text] = await all

    expect(result).toHaveStatus('aborted')
    expect(result.abortReason).toBe('Enough.')
    expect(text).toMatch(/^Half/)
    expect(chunks.at(-1)).toBe('abort')
    expect(model.lastStream.aborted).toBe(true)
    await expectNoUnhandledRejection()
  })

  test('settles while the provider has not responded', async () => {
    const { reached, ...pause } = gate()
    const model = new ScriptedModel([[pause, 'unused']])
    const controller = new AbortController()
    const result = new Agent({ model }).generate('Hello', { abortSignal: controller.signal })
    await reached
    controller.abort()
    expect(await result).toHaveStatus('aborted')
    await expectNoUnhandledRejection()
  })

  test('settles while a tool hangs and ignores the signal', async () => {
    const started = deferred<void>()
    const late = deferred<string>()
    let signal: AbortSignal | undefined
    const agent = new Agent({
      model: new ScriptedModel([['Wait. ', toolCall('slow')], 'unused']),
      tools: {
        slow: tool({
          inputSchema: z.object({}),
          execute: (_, { abortSignal }) => {
            signal = abortSignal
            started.resolve()
            return late.promise
          },
        }),
      },
    })
    const controller = new AbortController()
    const stream = agent.stream('Hello', { abortSignal: controller.signal })
    const pending = stream.result
    await started.promise
    controller.abort('Enough.')
    const result = await pending
    const before = structuredClone(result.messages)
    const text = JSON.stringify(result)

    expect(result).toHaveStatus('aborted')
    expect(signal?.aborted).toBe(true)
    late.resolve('too late')
    await expectNoUnhandledRejection()
    expect(result.messages).toEqual(before)
    expect(JSON.stringify(result)).toBe(text)
    expect(result).toLeakNothingOf('too late')
  })

  test.each(HOOKS)('settles while %s hangs and ignores the signal', async (hook) => {
    const started = deferred<void>()
    const late = deferred<void>()
    const guard = inHook(hook, () => {
      started.resolve()
      return late.promise
    })
    const model = new ScriptedModel(['An answer'])
    const controller = new AbortController()
    const stream = new Agent({ model, processors: [guard] }).stream('Hello', {
      abortSignal: controller.signal,
    })
    const pending = stream.result
    await started.promise
    controller.abort('Enough.')
    const result = await pending
    const text = JSON.stringify(result)

    expect(result).toHaveStatus('aborted')
    late.resolve()
    await expectNoUnhandledRejection()
    expect(JSON.stringify(result)).toBe(text)
  })

  test.each(HOOKS)('is not changed by %s throwing afterwards', async (hook) => {
    const started = deferred<void>()
    const late = deferred<void>()
    const guard = inHook(hook, () => {
      started.resolve()
      return late.promise
    })
    const controller = new AbortController()
    const stream = new Agent({ model: new ScriptedModel(['An answer']), processors: [guard] }).stream(
      'Hello',
      {
        abortSignal: controller.signal,
      },
    )
    const pending = stream.result
    await started.promise
    controller.abort('Enough.')
    late.reject(new Error('Cancelled inside.'))
    expect(await pending).toHaveStatus('aborted')
    await expectNoUnhandledRejection()
  })

  test('settles while option functions hang', async () => {
    const controller = new AbortController()
    const model = new ScriptedModel(['unused'])
    for (const options of [{ instructions: never }, { processors: never }]) {
      const result = new Agent({ model, ...options }).generate('Hello', { abortSignal: controller.signal })
      controller.abort()
      expect(await result).toHaveStatus('aborted')
    }
    expect(model.callCount).toBe(0)
  })

  const parts: Record<string, readonly LanguageModelV4StreamPart[]> = {
    'in the middle of its text': [
      { type: 'stream-start', warnings: [] },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', delta: 'Half' },
    ],
    'before its first content': [{ type: 'stream-start', warnings: [] }],
  }
  test.each(Object.keys(parts))(
    'cancels a model stream that hangs %s and ignores the signal',
    async (place) => {
      const queue = [...(parts[place] ?? [])]
      const hanging = deferred<void>()
      const cancelled = deferred<void>()
      const model: LanguageModelV4 = {
        specificationVersion: 'v4',
        provider: 'deaf',
        modelId: 'deaf-model',
        supportedUrls: {},
        doGenerate: never,
        doStream: async () => ({
          stream: new ReadableStream<LanguageModelV4StreamPart>(
            {
              pull(controller) {
                const part = queue.shift()
                if (part) return controller.enqueue(part)
                hanging.resolve()
                return never()
              },
              cancel: () => cancelled.resolve(),
            },
            { highWaterMark: 0 },
          ),
        }),
      }
      const controller = new AbortController()
      const result = new Agent({ model }).generate('Hello', { abortSignal: controller.signal })
      await hanging.promise
      controller.abort()
      expect(await result).toHaveStatus('aborted')
      await cancelled.promise
    },
  )

  test("leaves no text of the open step in the result with emit 'step'", async () => {
    const stop = gate()
    const model = new ScriptedModel([['Half an ', stop, 'answer']])
    const controller = new AbortController()
    const stream = new Agent({ model, emit: 'step' }).stream('Hello', { abortSignal: controller.signal })
    const pending = stream.result
    await stop.reached
    controller.abort()
    const result = await pending
    expect(result).toHaveStatus('aborted')
    expect(result).toLeakNothingOf('Half')
  })

  test('leaves messages that another run can continue from, if a tool had shown a part of its result', async () => {
    const controller = new AbortController()
    const agent = new Agent({
      model: new ScriptedModel([toolCall('count')]),
      tools: {
        count: tool({
          inputSchema: z.object({}),
          async *execute() {
            yield 'half'
            controller.abort()
            yield 'the rest'
          },
        }),
      },
    })
    const { messages } = await agent.stream('Go', { abortSignal: controller.signal }).result
    const next = new ScriptedModel(['ok'])
    await new Agent({ model: next }).generate([userMessage('Go'), ...messages, userMessage('And?')], {
      trusted: true,
    })
    expect(next.lastPrompt).toPairEveryToolCall()
    expect(JSON.stringify(next.lastPrompt)).toContain('half')
  })

  // With what can still be read of the answer.
  const damages: [string, { left: string; damage: (message: Message) => void }][] = [
    ['a part that is none', { left: 'Half ', damage: ({ content }) => content.parts.unshift(null as never) }],
    ['a part without a type', { left: 'Half ', damage: ({ content }) => content.parts.push({} as never) }],
    ['no parts', { left: '', damage: ({ content }) => Object.assign(content, { parts: null }) }],
    ['no content', { left: '', damage: (message) => Object.assign(message, { content: undefined }) }],
    ['a part that throws', { left: 'Half ', damage: ({ content }) => throwing(content.parts[0]) }],
  ]
  const throwing = (part: unknown) =>
    Object.defineProperty(part, 'type', {
      get() {
        throw new Error('Damaged.')
      },
    })
  describe.each(damages)('whose answer a hook has damaged: its message has %s', (_, { left, damage }) => {
    test.each(['live', 'step'] as const)('ends the run, and keeps valid parts: emit %s', async (emit) => {
      const controller = new AbortController()
      const kept: string[] = []
      let list: MessageList | undefined
      const agent = new Agent({
        model: new ScriptedModel([[text('Looking. '), toolCall('look')], [text(['Half ', 'an answer'])]]),
        tools: { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) },
        emit,
        processors: [
          {
            id: 'damaging',
            processInputStep({ messageList }) {
              list = messageList
            },
            processOutputStream({ part, stepNumber }) {
              if (stepNumber < 1 || part.type !== 'text-delta' || part.textDelta === 'Half ') return part
              damage(list?.get('response').at(-1) as Message)
              controller.abort('Enough.')
              return part
            },
          },
          {
            id: 'keeper',
            keepsIncomplete: true,
            processOutputResult: ({ result }) => void kept.push(result.text),
          },
        ],
      })
      const stream = agent.stream('Go', { abortSignal: controller.signal })
      const chunks = await collect(stream.fullStream)
      const result = await stream.result
      expect(result).toHaveStatus('aborted')
      expect(result.abortReason).toBe('Enough.')
      expect(chunks.at(-1)).toMatchObject({ type: 'abort' })
      expect(result.steps[0]).toMatchObject({ text: 'Looking. ', toolResults: [{ output: 'seen' }] })
      await agent.close()
      await expectNoUnhandledRejection()
      if (emit === 'step') return
      expect(result.steps[1]?.text ?? '').toBe(left)
      if (left !== '') expect(kept).toEqual([left])
    })
  })

  test('removes its listener from a signal that lives longer than the run', async () => {
    const listeners = new Set<unknown>()
    const { signal } = new AbortController()
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = ((type: 'abort', listener: () => void, options?: object) => {
      listeners.add(listener)
      add(type, listener, options)
    }) as typeof signal.addEventListener
    signal.removeEventListener = ((type: 'abort', listener: () => void) => {
      listeners.delete(listener)
      remove(type, listener)
    }) as typeof signal.removeEventListener

    await new Agent({ model: new ScriptedModel(['Hello']) }).generate('Hello', { abortSignal: signal })
    expect(listeners.size).toBe(0)
  })
})
