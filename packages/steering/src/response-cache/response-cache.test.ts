import { Agent, type AgentOptions, type CounterStore, type Processor, tool } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { KeywordGuard } from '@millrace/guards/keyword-guard'
import {
  collect,
  errorPart,
  fail,
  finish,
  gate,
  hang,
  reasoning,
  ScriptedModel,
  source,
  text,
  tokens,
  toolCall,
} from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { canonical } from './request-key.ts'
import { ResponseCache, type ResponseCacheEvent, type ResponseCacheOptions } from './response-cache.ts'

expect.extend(matchers)

afterEach(() => {
  vi.useRealTimers()
})

/** Answers every call with its number, so that a replayed answer is recognizable. */
const counting = () => new ScriptedModel((_, index) => `Answer ${index}`)

function agentWith(
  model: ScriptedModel,
  processors: Processor[],
  options: Partial<AgentOptions> = {},
): Agent {
  return new Agent({ model, processors, ...options })
}

async function ask(
  agent: Agent,
  input: string,
  options: Parameters<Agent['generate']>[1] = {},
): Promise<string> {
  const { text } = await agent.generate(input, options)
  await agent.close()
  return text
}

describe('a repeated request', () => {
  test('is answered with the same chunks, without usage', async () => {
    const events: ResponseCacheEvent['type'][] = []
    const rich = [
      [
        reasoning('Hm.'),
        text('Look: ', { chunkSize: 2 }),
        source({ url: 'https://example.com' }),
        toolCall('look', { a: 1 }),
      ],
      [text('It is so.', { chunkSize: 1 }), finish({ usage: tokens({ input: 70, output: 7 }) })],
    ]
    const model = new ScriptedModel(rich as never)
    const execute = vi.fn(() => 'seen')
    const tools = { look: tool({ inputSchema: z.object({ a: z.number() }), execute }) }
    const cache = new ResponseCache({ onEvent: ({ type }) => events.push(type) })
    const agent = agentWith(model, [cache], { tools })
    const run = async () => {
      const stream = agent.stream('Is it so?')
      const chunks = await collect(stream.fullStream)
      const result = await stream.result
      await agent.close()
      return { chunks, result }
    }
    const first = await run()
    const second = await run()
    expect(model.callCount).toBe(2)
    expect(execute).toHaveBeenCalledTimes(2)
    const content = (chunks: typeof first.chunks) =>
      chunks.filter(({ type }) => !['start', 'finish', 'step-finish'].includes(type))
    expect(content(second.chunks)).toEqual(content(first.chunks))
    expect(second.result).toHaveText('It is so.')
    expect(first.result.usage.totalTokens).toBe(92)
    expect(second.result.usage.totalTokens).toBe(0)
    expect(second.result.steps[1]?.providerMetadata).toEqual({
      millrace: { cached: true, inputTokens: 70, outputTokens: 7 },
    })
    expect(second.result.steps[0]?.response.timestamp).toEqual(first.result.steps[0]?.response.timestamp)
    expect(events).toEqual(['miss', 'miss', 'stored', 'stored', 'hit', 'hit'])
  })

  test.each<[string, object, object]>([
    ['another model', {}, { model: new ScriptedModel(['Other'], { modelId: 'other' }) }],
    ['another provider', {}, { model: new ScriptedModel(['Other'], { provider: 'other' }) }],
    ['other settings', {}, { modelSettings: { temperature: 1 } }],
    ['other instructions', {}, { instructions: 'Be brief.' }],
    ['other provider options', {}, { providerOptions: { scripted: { effort: 'high' } } }],
    ['other tools', {}, { tools: { look: tool({ inputSchema: z.object({}), execute: () => '' }) } }],
    ['another thread’s resource', { resourceId: 'a' }, { resourceId: 'b' }],
    ['a schema', {}, { output: z.any() }],
  ])('is different with %s', async (_, first, second) => {
    const cache = new ResponseCache()
    const model = new ScriptedModel((_, index) => JSON.stringify(index))
    const run = async (options: { tools?: never; model?: ScriptedModel }) => {
      const { tools, ...rest } = options
      const agent = agentWith(model, [cache], tools && { tools })
      return ask(agent, 'Hi', rest as never)
    }
    expect(await run(first)).toBe('0')
    expect(await run(first)).toBe('0')
    expect(await run(second)).not.toBe('0')
  })

  test('shares entries within its scope', async () => {
    const ids = [
      { resourceId: 'a', threadId: '1' },
      { resourceId: 'a', threadId: '2' },
      { resourceId: 'b', threadId: '1' },
    ]
    const run = async (scope: ResponseCacheOptions['scope'], store?: CounterStore) => {
      const model = counting()
      const agent = agentWith(model, [
        new ResponseCache({ ...(scope && { scope }), ...(store && { store }) }),
      ])
      for (const id of [...ids, ...ids]) await ask(agent, 'Hi', id)
      return model.callCount
    }
    for (const store of [undefined, new InMemoryStore()]) {
      expect(await run('thread', store)).toBe(3)
      expect(await run('resource', store)).toBe(2)
      expect(await run('all', store)).toBe(1)
    }
  })

  test('is the same with other tool call ids, and different with other calls', async () => {
    const cache = new ResponseCache({ when: ({ prompt }) => prompt.length > 1 })
    const tools = { look: tool({ inputSchema: z.object({ at: z.string() }), execute: () => 'seen' }) }
    const askWith = async (id: string, at = 'a') => {
      const model = new ScriptedModel([toolCall('look', { at }, { id }), `Answer to ${id}`])
      return ask(agentWith(model, [cache], { tools }), 'Hi')
    }
    expect(await askWith('one')).toBe('Answer to one')
    expect(await askWith('two')).toBe('Answer to one')
    expect(await askWith('three', 'b')).toBe('Answer to three')
  })

  test('is sent to the model again after the TTL, or with another version', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    for (const store of [undefined, new InMemoryStore()]) {
      const options = { ttlMs: 1_000, ...(store && { store }) }
      const model = counting()
      const cache = new ResponseCache(options)
      expect(await ask(agentWith(model, [cache]), 'Hi')).toBe('Answer 0')
      vi.advanceTimersByTime(999)
      expect(await ask(agentWith(model, [cache]), 'Hi')).toBe('Answer 0')
      vi.advanceTimersByTime(2)
      expect(await ask(agentWith(model, [cache]), 'Hi')).toBe('Answer 1')
      expect(await ask(agentWith(model, [new ResponseCache({ ...options, version: '2' })]), 'Hi')).toBe(
        'Answer 2',
      )
    }
  })

  test('with a store finds entries of other instances, which are deleted with their resource', async () => {
    const store = new InMemoryStore()
    const model = counting()
    const run = () => ask(agentWith(model, [new ResponseCache({ store })]), 'Hi', { resourceId: 'a' })
    expect([await run(), await run()]).toEqual(['Answer 0', 'Answer 0'])
    await store.deleteResource({ resourceId: 'a' })
    expect(await run()).toBe('Answer 1')
  })

  test('drops the least recently used entry beyond the maximum', async () => {
    const model = counting()
    const agent = agentWith(model, [new ResponseCache({ maxEntries: 2 })])
    for (const input of ['a', 'b', 'a', 'c', 'a', 'b']) await ask(agent, input)
    expect(model.callCount).toBe(4)
  })

  test('uses the cache only if when accepts it', async () => {
    const model = counting()
    const when: ResponseCacheOptions['when'] = (_, context) => context.threadId !== 'no'
    const agent = agentWith(model, [new ResponseCache({ when })])
    await ask(agent, 'Hi', { threadId: 'no' })
    await ask(agent, 'Hi', { threadId: 'no' })
    expect(model.callCount).toBe(2)
  })
})

describe('a response', () => {
  test.each([
    ['was cut short', ['Hel', finish({ reason: 'length' })]],
    ['was filtered', ['Hel', finish({ reason: 'content-filter' })]],
    ['failed', ['Hel', fail(new Error('down'))]],
    ['reports an error', ['Hel', errorPart(new Error('down'))]],
    ['is empty', []],
    ['calls a tool with what is not JSON', [toolCall('look', {}, { rawInput: '{' })]],
  ])('is not stored if it %s', async (_, turn) => {
    const model = new ScriptedModel(() => turn as never)
    const agent = agentWith(model, [new ResponseCache()], { maxSteps: 1 })
    for (let index = 0; index < 2; index++) await ask(agent, 'Hi').catch(() => {})
    expect(model.callCount).toBe(2)
  })

  test('is not stored if the run was aborted', async () => {
    const model = new ScriptedModel((_, index) => (index === 0 ? ['Hel', hang()] : 'Hello'))
    const agent = agentWith(model, [new ResponseCache()])
    for await (const chunk of agent.stream('Hi').fullStream) if (chunk.type === 'text-delta') break
    expect(await ask(agent, 'Hi')).toBe('Hello')
    expect(model.callCount).toBe(2)
  })

  test('that a guard rejects is not stored, wherever the guard is listed', async () => {
    for (const order of [0, 1]) {
      const model = new ScriptedModel(() => 'The secret is out.')
      const list: Processor[] = [
        new ResponseCache(),
        new KeywordGuard({ keywords: ['secret'], surfaces: ['answer'] }),
      ]
      const agent = agentWith(model, order === 0 ? list : list.reverse())
      for (let index = 0; index < 2; index++) {
        expect(await agent.generate('Hi')).toHaveStatus('tripwire')
        await agent.close()
      }
      expect(model.callCount).toBe(2)
    }
  })

  test.each(['processOutputStep', 'processOutputResult'] as const)(
    'that is rejected when it is complete is not stored: %s',
    async (hook) => {
      const strict: Processor = { id: 'strict', [hook]: ({ abort }: { abort: () => never }) => abort() }
      const model = new ScriptedModel(() => 'The secret is out.')
      const agent = agentWith(model, [new ResponseCache(), strict])
      for (let index = 0; index < 2; index++) {
        expect(await agent.generate('Hi')).toHaveStatus('tripwire')
        await agent.close()
      }
      expect(model.callCount).toBe(2)
    },
  )

  test('that is replayed passes the current guards', async () => {
    const cache = new ResponseCache()
    const model = new ScriptedModel(() => 'The secret is out.')
    expect(await ask(agentWith(model, [cache]), 'Hi')).toBe('The secret is out.')
    const guarded = agentWith(model, [
      cache,
      new KeywordGuard({ keywords: ['secret'], surfaces: ['answer'] }),
    ])
    const stream = guarded.stream('Hi')
    expect(JSON.stringify(await collect(stream.fullStream))).not.toContain('is out')
    expect(await stream.result).toHaveStatus('tripwire')
    expect(model.callCount).toBe(1)
  })

  test('of a rejected attempt is not stored, but the accepted one is', async () => {
    const strict: Processor = {
      id: 'strict',
      processOutputStep: ({ text, abort }) =>
        text === 'Bad.' ? abort('Again.', { retry: true }) : undefined,
    }
    const model = new ScriptedModel(['Bad.', 'Good.', 'Bad.'])
    const agent = agentWith(model, [new ResponseCache(), strict])
    expect(await ask(agent, 'Hi')).toBe('Good.')
    // The first attempt is retried: only the answer to the second is cached.
    expect(await ask(agent, 'Hi')).toBe('Good.')
    expect(model.callCount).toBe(3)
  })

  test('is stored as the model sent it, whatever later hooks change', async () => {
    const rewrites: Processor = {
      id: 'rewrites',
      processOutputStream: ({ part }) => {
        if (part.type === 'tool-call') (part.input as { a: number }).a = 99
        return part
      },
    }
    const inputs: unknown[] = []
    const tools = {
      look: tool({ inputSchema: z.object({ a: z.number() }), execute: (input) => void inputs.push(input) }),
    }
    const cache = new ResponseCache()
    const model = new ScriptedModel([toolCall('look', { a: 1 }), 'Done.'])
    await ask(agentWith(model, [cache, rewrites], { tools }), 'Hi')
    await agentWith(model, [cache], { tools })
      .generate('Hi')
      .catch(() => {})
    expect(inputs).toEqual([{ a: 99 }, { a: 1 }])
  })

  test('that is too long is not stored', async () => {
    const model = counting()
    const agent = agentWith(model, [new ResponseCache({ maxLength: 50 })])
    expect([await ask(agent, 'Hi'), await ask(agent, 'Hi')]).toEqual(['Answer 0', 'Answer 1'])
  })
})

describe('ResponseCache', () => {
  test('continues without a store that fails or contains invalid entries', async () => {
    const events: ResponseCacheEvent['type'][] = []
    const failing = {
      getKey: () => Promise.reject(new Error('down')),
      setKey: () => Promise.reject(new Error('down')),
    } as unknown as CounterStore
    const cache = new ResponseCache({ store: failing, onEvent: ({ type }) => events.push(type) })
    expect(await ask(agentWith(counting(), [cache]), 'Hi')).toBe('Answer 0')
    expect(events).toEqual(['failure', 'miss', 'failure'])
    for (const value of [
      '',
      '{',
      '{"form":1,"chunks":[]}',
      '{"form":1,"chunks":[null]}',
      '{"form":2,"chunks":[{}]}',
    ]) {
      const odd = { getKey: async () => value, setKey: async () => true } as unknown as CounterStore
      expect(await ask(agentWith(counting(), [new ResponseCache({ store: odd })]), 'Hi')).toBe('Answer 0')
    }
  })

  test('does not mix concurrent requests', async () => {
    const open = gate()
    const model = new ScriptedModel(({ prompt }) => {
      const question = /Question \d+/.exec(JSON.stringify(prompt))?.[0]
      return [text(`Re: ${question} `, { chunkSize: 1 }), open, 'end']
    })
    const agent = agentWith(model, [new ResponseCache()])
    const questions = Array.from({ length: 60 }, (_, index) => `Question ${index % 20}`)
    const answers = Promise.all(questions.map(async (question) => (await agent.generate(question)).text))
    open.open()
    expect(await answers).toEqual(questions.map((question) => `Re: ${question} end`))
    await agent.close()
    const calls = model.callCount
    expect(await Promise.all(questions.map((question) => ask(agent, question)))).toEqual(await answers)
    expect(model.callCount).toBe(calls)
  })

  test('distinguishes values, but not the order of their fields', () => {
    expect(canonical({ b: 1, a: [undefined, null, 'x'] })).toBe(
      canonical({ a: [undefined, null, 'x'], b: 1, c: undefined }),
    )
    expect(canonical(new URL('https://example.com'))).not.toBe(canonical('https://example.com/'))
    expect(canonical(new Uint8Array([1]))).not.toBe(canonical(new Uint8Array([2])))
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(canonical(a) === canonical(b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)))
      }),
    )
  })

  test.each([{ scope: 'x' }, { ttlMs: 0 }, { maxEntries: -1 }, { maxLength: 0.5 }])(
    'rejects %o',
    (options) => {
      expect(() => new ResponseCache(options as never)).toThrow(
        expect.objectContaining({ code: 'CONFIG_INVALID' }),
      )
    },
  )
})

/** Sorts fields by name, and distinguishes lists from objects. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return ['list', ...value.map(sorted)]
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return ['object', ...fields.map(([name, field]) => [name, sorted(field)])]
}
