import { collect, hang, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import { parallel } from '../../composition/parallel.ts'
import type { Processor } from '../../processors/processor.ts'
import type { Chunk } from '../../results/chunk.ts'
import type { RunResult } from '../../results/result.ts'
import { Halt, Suspend, TripWire } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

const shout = (value: string) => value.toUpperCase()

const shouting: Processor = {
  id: 'shouting',
  processDelivery: ({ part, result }) => {
    if (result) return { ...result, text: shout(result.text) }
    return part.type === 'text-delta' ? { ...part, textDelta: shout(part.textDelta) } : part
  },
}

test('changes what the caller receives, in generate, stream and resume, and nothing else', async () => {
  const model = new ScriptedModel([toolCall('look'), 'Done.'], { repeat: 'last' })
  const asker: Processor = {
    id: 'asker',
    processInput: ({ suspend, resumeData }) => (resumeData === undefined ? suspend() : undefined),
  }
  const seen: string[] = []
  const keeper: Processor = {
    id: 'keeper',
    processOutputResult: ({ result }) => {
      seen.push(result.text)
    },
  }
  const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }
  const options = { model, tools, processors: [shouting, keeper] }

  const generated = await new Agent(options).generate('Hi')
  expect(generated).toHaveText('DONE.')
  expect(JSON.stringify(generated.messages)).toContain('"Done."')

  const stream = new Agent(options).stream('Hi')
  expect(textOf(await collect(stream.fullStream))).toBe('DONE.')
  expect(await stream.text).toBe('DONE.')

  const agent = new Agent({ ...options, processors: [asker, shouting, keeper] })
  const suspended = await agent.generate('Hi')
  const resumed = agent.resume(suspended.suspension?.runId ?? '', 'go')
  expect(textOf(await collect(resumed.fullStream))).toBe('DONE.')
  expect(await resumed).toHaveText('DONE.')
  expect(seen).toEqual(['Done.', 'Done.', 'Done.'])
})

test('receives every chunk after the start, in order, one at a time, and the result last', async () => {
  const order: string[] = []
  let inside = 0
  const slow: Processor = {
    id: 'slow',
    processDelivery: async ({ part }) => {
      expect(++inside).toBe(1)
      await Promise.resolve()
      inside--
      order.push(part?.type ?? 'the result')
      return undefined
    },
  }
  const stream = new Agent({ model: new ScriptedModel([text('A b c')]), processors: [slow] }).stream('Hi')
  const chunks = await collect(stream.fullStream)
  await stream.result
  expect(order).toEqual([...chunks.slice(1).map(({ type }) => type), 'the result'])
})

test('may drop a chunk or return several, but not drop structural chunks', async () => {
  const processor: Processor = {
    id: 'presenter',
    processDelivery: ({ part }) => {
      if (part === undefined) return undefined
      if (part.type === 'text-delta') return [part, { type: 'data-mark', data: part.textDelta }]
      return part.type === 'finish' || part.type.startsWith('data-') ? part : null
    },
  }
  const stream = new Agent({ model: new ScriptedModel([text(['x'])]), processors: [processor] }).stream('Hi')
  const chunks: Chunk[] = await collect(stream.fullStream)
  expect(chunks).toHaveChunkTypes([
    'start',
    'step-start',
    'text-start',
    'text-delta',
    'data-mark',
    'text-end',
    'step-finish',
    'finish',
  ])
})

describe('an error', () => {
  const inPart = (act: () => never): Processor => ({
    id: 'broken',
    processDelivery: ({ part }) => (part?.type === 'text-delta' ? act() : undefined),
  })
  const inResult = (act: () => never): Processor => ({
    id: 'broken',
    processDelivery: ({ result }) => (result ? act() : undefined),
  })
  const cause = new Error('mine')
  const acts: [string, unknown][] = [
    ['an error', cause],
    ['TripWire', new TripWire('no')],
    ['Halt', new Halt('no')],
    ['Suspend', new Suspend('no')],
  ]

  describe.each(acts)('%s', (_, error) => {
    test.each<[string, (act: () => never) => Processor]>([
      ['a chunk', inPart],
      ['the result', inResult],
    ])('over %s fails the run by name', async (_, of) => {
      const processor = of(() => {
        throw error
      })
      // A run that is completed, and one that is suspended.
      for (const script of of === inPart ? [['Hello.']] : [['Hello.'], [toolCall('wait')]]) {
        const agent = new Agent({
          model: new ScriptedModel(script),
          storage: new InMemoryRunStore(),
          tools: { wait: { inputSchema: z.object({}) } },
          processors: [processor],
        })
        const failure = await agent.generate('Hi').catch((error) => error)
        expect(failure).toMatchObject({ name: 'MillraceError', code: 'PROCESSOR_FAILED', cause: error })
        expect(failure.message).toContain('processDelivery')
      }
    })
  })

  test("is skipped with onError 'skip'", async () => {
    const processors: Processor[] = [
      { ...inResult(thrown), onError: 'skip' },
      { ...inPart(thrown), id: 'other', onError: 'skip' },
    ]
    const result = await new Agent({ model: new ScriptedModel(['Hello.']), processors }).generate('Hi')
    expect(result).toHaveText('Hello.')
  })
})

test('shares its state with the other hooks, in a resumed run too', async () => {
  const delivered: unknown[] = []
  const processor: Processor = {
    id: 'stateful',
    processInput: ({ state, suspend, resumeData }) => {
      state.calls = Number(state.calls ?? 0) + 1
      if (resumeData === undefined) suspend()
    },
    processDelivery: ({ state, part, result }) => {
      if (result || part.type === 'suspended' || part.type === 'finish') delivered.push(state.calls)
      return undefined
    },
  }
  const agent = new Agent({ model: new ScriptedModel(['Hello.']), processors: [processor] })
  const suspended = await agent.generate('Hi')
  await agent.resume(suspended.suspension?.runId ?? '', 'go')
  expect(delivered).toEqual([1, 1, 2, 2])
})

test('receives the retry count of the run', async () => {
  const counts: number[] = []
  const processors: Processor[] = [
    {
      id: 'judge',
      processOutputStep: ({ text, abort }) => (text === 'Bad.' ? abort('no', { retry: true }) : undefined),
    },
    {
      id: 'watcher',
      processDelivery: ({ part, retryCount }) => {
        if (part?.type === 'step-start' || part?.type === 'finish') counts.push(retryCount)
        return undefined
      },
    },
  ]
  await new Agent({ model: new ScriptedModel(['Bad.', 'Good.']), processors }).generate('Hi')
  expect(counts).toEqual([0, 1, 1])
})

test('has no signals', () => {
  const processor: Processor = {
    id: 'typed',
    processDelivery: (args) => {
      // @ts-expect-error presentation only: there is nothing left to abort
      args.abort?.()
      // @ts-expect-error nor to halt
      args.halt?.()
      // @ts-expect-error nor to suspend
      args.suspend?.()
      return args.result satisfies RunResult | undefined
    },
  }
  expect(processor.id).toBe('typed')
})

function thrown(): never {
  throw new Error('mine')
}

describe('a result that a hook does not return', () => {
  const stuck: Processor = { id: 'stuck', processDelivery: ({ result }) => (result ? endless : undefined) }
  const endless = new Promise<never>(() => {})

  test.for(['generate', 'stream'] as const)(
    'ends with an abort in %s, and none of it is emitted',
    async (method) => {
      const controller = new AbortController()
      const reason = new Error('Enough.')
      const watching: Processor = {
        id: 'watching',
        processDelivery: ({ result }) => {
          if (result) controller.abort(reason)
        },
      }
      const agent = new Agent({ model: new ScriptedModel(['Hello.']), processors: [watching, stuck] })
      const options = { abortSignal: controller.signal }
      const result = await (method === 'generate'
        ? agent.generate('Hi', options)
        : agent.stream('Hi', options).result)
      expect(result).toMatchObject({
        status: 'aborted',
        abortReason: reason,
        text: '',
        messages: [],
        steps: [],
      })
      expect(result.usage.totalTokens).toBe(15)
    },
  )

  test('ends with a timeout', async () => {
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), processors: [stuck] })
    const result = await agent.generate('Hi', { timeout: 5 })
    expect(result).toMatchObject({ status: 'aborted', abortReason: { code: 'RUN_TIMEOUT' }, text: '' })
  })

  test('ends with an abort that came after the last chunk', async () => {
    const controller = new AbortController()
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), processors: [stuck] })
    const stream = agent.stream('Hi', { abortSignal: controller.signal })
    for await (const { type } of stream.fullStream) if (type === 'finish') controller.abort()
    expect(await stream.status).toBe('aborted')
  })

  test('of an aborted run is what hooks return synchronously', async () => {
    const controller = new AbortController()
    const model = new ScriptedModel([[text('Half'), hang()]])
    const agent = new Agent({
      model,
      processors: [
        {
          id: 'async',
          processDelivery: async ({ result, part }) =>
            result ? { ...result, text: shout(result.text) } : part,
        },
      ],
    })
    const stream = agent.stream('Hi', { abortSignal: controller.signal })
    for await (const { type } of stream.fullStream) if (type === 'text-delta') controller.abort()
    expect(await stream.result).toMatchObject({ status: 'aborted', text: 'HALF' })
  })
})

test('a reader that leaves at the last chunk gets the result, however long its delivery takes', async () => {
  const slow: Processor = {
    id: 'slow',
    processDelivery: async ({ result }) => {
      if (result) await new Promise((resolve) => setImmediate(resolve))
    },
  }
  const stream = new Agent({ model: new ScriptedModel(['Hello.']), processors: [slow] }).stream('Hi')
  for await (const { type } of stream.fullStream) if (type === 'finish') break
  expect(await stream.result).toMatchObject({ status: 'completed', text: 'Hello.' })
})

test.for(['at once', 'later'])(
  'fails the run when it fails %s on a chunk that is not awaited',
  async (when) => {
    const writing: Processor = {
      id: 'writing',
      processInput: ({ writer }) => void writer.write({ type: 'data-note', data: 1 }),
    }
    const failing: Processor = {
      id: 'failing',
      processDelivery: ({ part }) => {
        if (part?.type !== 'data-note') return undefined
        if (when === 'at once') throw new Error('broken')
        return Promise.reject(new Error('broken'))
      },
    }
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), processors: [writing, failing] })
    const stream = agent.stream('Hi')
    const types: string[] = []
    for await (const { type } of stream.fullStream) types.push(type)
    expect(types).toEqual(['start', 'error'])
    await expect(stream.result).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  },
)

test.for(['at once', 'later', 'side by side'])(
  'what a hook writes is emitted before its chunk, if the later hooks answer %s',
  async (when) => {
    const noting: Processor = {
      id: 'noting',
      processDelivery: async ({ part, writer }) => {
        if (part?.type !== 'text-delta') return
        await writer.write({ type: 'data-first', data: part.textDelta })
        await new Promise((resolve) => setImmediate(resolve))
        await writer.write({ type: 'data-second', data: part.textDelta })
      },
    }
    const starting: Processor = {
      id: 'starting',
      processDelivery: ({ part, writer }) => {
        if (part?.type === 'text-delta') void writer.write({ type: 'data-start', data: part.textDelta })
      },
    }
    let inside = 0
    const last: Processor = {
      id: 'last',
      processDelivery: ({ part }) => {
        if (when === 'at once') return part
        expect(++inside).toBe(1)
        return new Promise((resolve) => setImmediate(resolve)).then(() => {
          inside--
          return part
        })
      },
    }
    const processors = when === 'side by side' ? [starting, parallel(noting, last)] : [starting, noting, last]
    const agent = new Agent({ model: new ScriptedModel([text(['a', 'b'])]), processors })
    const seen: string[] = []
    for await (const chunk of agent.stream('Hi').fullStream) {
      if (chunk.type === 'text-delta') seen.push(chunk.textDelta)
      if (chunk.type.startsWith('data-')) seen.push(`${chunk.type} ${(chunk as { data: unknown }).data}`)
    }
    const written = (delta: string) => ['start', 'first', 'second'].map((name) => `data-${name} ${delta}`)
    expect(seen).toEqual([...written('a'), 'a', ...written('b'), 'b'])
  },
)

test.for(['fails on it', 'holds it back until the caller aborts'])(
  'a run that suspends cannot be resumed where a hook %s',
  async (how) => {
    const controller = new AbortController()
    let letOn = (): void => {}
    const held = new Promise<void>((resolve) => {
      letOn = resolve
    })
    const storage = new InMemoryRunStore()
    const agent = new Agent({
      model: new ScriptedModel([toolCall('ask')]),
      tools: { ask: { inputSchema: z.object({}) } },
      storage,
      processors: [
        {
          id: 'holder',
          processDelivery: ({ part }) => {
            if (part?.type !== 'suspended') return undefined
            if (how === 'fails on it') throw new Error('broken')
            controller.abort()
            return held.then(() => part)
          },
        },
      ],
    })
    const outcome = await agent.generate('Hi', { abortSignal: controller.signal }).catch((error) => error)
    expect(outcome.code ?? outcome.status).toBe(how === 'fails on it' ? 'PROCESSOR_FAILED' : 'aborted')
    letOn()
    await new Promise((resolve) => setImmediate(resolve))
    expect(await storage.listRuns({})).toEqual([])
  },
)
