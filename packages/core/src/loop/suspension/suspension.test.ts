import { collect, gate, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { Processor } from '../../processors/processor.ts'
import { RequestContext } from '../../request-context.ts'
import type { RunResult } from '../../results/result.ts'
import { Suspend } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import type { RunFilter, RunStore } from '../../storage/run-store.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

const anything = z.object({}).loose()

/** Suspends in `processInput`, once; goes on with whatever the run is resumed with. */
function asker(seen: unknown[] = []): Processor {
  return {
    id: 'asker',
    processInput: ({ resumeData, suspend }) => {
      if (resumeData === undefined) suspend({ question: 'May I?' })
      seen.push(resumeData)
    },
  }
}

function idOf({ suspension }: RunResult): string {
  if (!suspension) throw new Error('The run is not suspended.')
  return suspension.runId
}

describe('a suspended run', () => {
  test('reports its payload, origin and id, in result and stream', async () => {
    const storage = new InMemoryRunStore()
    const stream = new Agent({ model: new ScriptedModel([]), storage, processors: [asker()] }).stream('Hi')
    const chunks = await collect(stream.fullStream)
    const result = await stream.result
    const info = {
      runId: result.runId,
      payload: { question: 'May I?' },
      processorId: 'asker',
      hook: 'processInput',
      toolCallId: undefined,
    }
    expect(result).toHaveStatus('suspended')
    expect(result.suspension).toMatchObject(info)
    expect(chunks.at(-1)).toEqual({ type: 'suspended', ...info })
    expect(JSON.parse(JSON.stringify(chunks.at(-1)))).toEqual(JSON.parse(JSON.stringify(chunks.at(-1))))
    expect(await storage.getRun(result.runId)).toMatchObject({ state: 'suspended' })
  })

  test('is JSON with a version, and its times are numbers', async () => {
    const storage = new InMemoryRunStore()
    const agent = new Agent({ name: 'support', model: new ScriptedModel([]), storage, processors: [asker()] })
    const result = await agent.generate('Hi', { threadId: 't', resourceId: 'r' })
    const found = await storage.getRun(result.runId, { resourceId: 'r' })
    const run = found?.state === 'suspended' ? found.run : undefined
    expect(JSON.parse(JSON.stringify(run))).toEqual(run)
    expect(JSON.parse(run?.snapshot ?? '')).toMatchObject({ version: 1 })
    expect(run).toMatchObject({ agentName: 'support', threadId: 't', resourceId: 'r', hook: 'processInput' })
    expect((run?.expiresAt ?? 0) - (run?.createdAt ?? 0)).toBe(24 * 60 * 60 * 1000)
  })

  test('is resumed by its own handle, with the options it had', async () => {
    const seen: unknown[] = []
    const agent = new Agent({
      model: new ScriptedModel(['{"city":"Oslo"}']),
      storage: new InMemoryRunStore(),
    })
    const suspended = await agent.generate('Hi', {
      processors: [asker(seen)],
      output: z.object({ city: z.string() }),
    })
    const result = await suspended.suspension?.resume('yes')
    expect(result).toBeCompleted()
    expect(result?.object).toEqual({ city: 'Oslo' })
    expect(seen).toEqual(['yes'])
  })

  test('is resumed by its id, by a new agent, awaited or as a stream', async () => {
    const storage = new InMemoryRunStore()
    const build = () => new Agent({ model: new ScriptedModel(['Hello.']), storage, processors: [asker()] })
    const first = await build().generate('Hi')
    const second = await build().generate('Hi')
    expect(await build().resume(idOf(first), 'yes')).toHaveText('Hello.')
    const stream = build().resume(idOf(second), 'yes')
    expect(textOf(await collect(stream.fullStream))).toBe('Hello.')
    expect(await stream.status).toBe('completed')
  })

  test('is not used up by a resume that is neither awaited nor read', async () => {
    const storage = new InMemoryRunStore()
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), storage, processors: [asker()] })
    const id = idOf(await agent.generate('Hi'))
    agent.resume(id, 'yes')
    expect(await storage.getRun(id)).toMatchObject({ state: 'suspended' })
    expect(await agent.resume(id, 'yes')).toBeCompleted()
  })

  test('that suspends again has another id, and the first is used up', async () => {
    const storage = new InMemoryRunStore()
    const twice: Processor = {
      id: 'twice',
      processInput: ({ state, suspend }) => {
        state.asked = Number(state.asked ?? 0) + 1
        if (Number(state.asked) < 3) suspend(`question ${state.asked}`)
      },
    }
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), storage, processors: [twice] })
    const first = await agent.generate('Hi')
    const second = await agent.resume(idOf(first), 1)
    expect(second.suspension?.payload).toBe('question 2')
    expect(idOf(second)).not.toBe(idOf(first))
    await expect(agent.resume(idOf(first), 1)).rejects.toMatchObject({ code: 'RUN_ALREADY_RESUMED' })
    expect(await agent.resume(idOf(second), 2)).toHaveText('Hello.')
  })

  test('lists a run by thread and resource, without its snapshot, and among those of all only on request', async () => {
    const storage = new InMemoryRunStore()
    const agent = new Agent({ model: new ScriptedModel([]), storage, processors: [asker()] })
    const a = await agent.generate('Hi', { threadId: 'a', resourceId: 'x' })
    const b = await agent.generate('Hi', { requestContext: new RequestContext({}, { threadId: 'b' }) })
    const c = await agent.generate('Hi', { threadId: 'c', resourceId: 'x' })
    const ids = async (filter?: RunFilter) => (await agent.suspendedRuns(filter)).map(({ runId }) => runId)
    expect(await ids()).toEqual([idOf(b)])
    expect(await ids({ resourceId: undefined, threadId: undefined })).toEqual([idOf(b)])
    expect(await ids({ allResources: true })).toEqual([a, b, c].map(idOf))
    await expect(ids({ allResources: true, resourceId: 'x' })).rejects.toMatchObject({
      code: 'STORAGE_INPUT_INVALID',
    })
    expect(await ids({ threadId: 'b' })).toEqual([idOf(b)])
    expect(await ids({ resourceId: 'x' })).toEqual([idOf(a), idOf(c)])
    expect(await ids({ resourceId: 'x', threadId: 'b' })).toEqual([])
    expect(await ids({ resourceId: 'x', threadId: 'a' })).toEqual([idOf(a)])
    // A forged id, or one whose owner was forgotten, shows nothing of others.
    expect(await ids({ threadId: 'a' })).toEqual([])
    expect((await agent.suspendedRuns({ resourceId: 'x' }))[0]).not.toHaveProperty('snapshot')
    await c.suspension?.release()
    expect(await ids({ resourceId: 'x' })).toEqual([idOf(a)])
  })

  test('keeps its thread when it is resumed without it', async () => {
    const seen: unknown[] = []
    const looker: Processor = {
      id: 'looker',
      processInputStep: ({ requestContext: { threadId, resourceId } }) => {
        seen.push([threadId, resourceId])
      },
    }
    const agent = new Agent({
      model: new ScriptedModel(['Hello.']),
      storage: new InMemoryRunStore(),
      processors: [asker(), looker],
    })
    const suspended = await agent.generate('Hi', { threadId: 't', resourceId: 'r' })
    const result = await agent.resume(idOf(suspended), 'yes', { resourceId: 'r' })
    expect(seen).toEqual([['t', 'r']])
    expect(result.messages[0]).toMatchObject({ threadId: 't', resourceId: 'r' })
  })

  test('of another resource is not found', async () => {
    const agent = new Agent({
      model: new ScriptedModel(['Hello.']),
      storage: new InMemoryRunStore(),
      processors: [asker()],
    })
    const id = idOf(await agent.generate('Hi', { resourceId: 'alice' }))
    const other = { code: 'RUN_NOT_FOUND' }
    await expect(agent.resume(id, 'yes', { resourceId: 'mallory' })).rejects.toMatchObject(other)
    const requestContext = new RequestContext({}, { resourceId: 'mallory' })
    await expect(agent.resume(id, 'yes', { requestContext })).rejects.toMatchObject(other)
    expect(await agent.resume(id, 'yes', { resourceId: 'alice' })).toBeCompleted()
  })

  test('of a resource is not found without it, waiting or used, not even in a store that would return it', async () => {
    const store = new InMemoryRunStore()
    const owner = { resourceId: 'alice' }
    const telling = withMethods(store, {
      getRun: (id) => store.getRun(id, owner),
      claimRun: (id, options) => store.claimRun(id, { ...options, owner }),
    })
    for (const storage of [store, telling]) {
      const model = new ScriptedModel(() => 'Hello.')
      const agent = new Agent({ model, storage, processors: [asker()] })
      const id = idOf(await agent.generate('Hi', { resourceId: 'alice' }))
      const unknown = await agent.resume('nonesuch', 'yes').catch((error: Error) => error)
      const refused = await agent.resume(id, 'yes').catch((error: Error) => error)
      expect(refused).toMatchObject({ code: 'RUN_NOT_FOUND' })
      expect((refused as Error).message.replace(id, 'nonesuch')).toBe((unknown as Error).message)
      expect(await store.getRun(id, { resourceId: 'alice' })).toMatchObject({ state: 'suspended' })
      if (storage !== store) continue
      expect(await agent.release(id)).toBe(false)
      expect(await agent.release(id, { resourceId: 'bob' })).toBe(false)
      expect(await agent.resume(id, 'yes', { resourceId: 'alice' })).toBeCompleted()
      await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
      await expect(agent.resume(id, 'yes', { resourceId: 'alice' })).rejects.toMatchObject({
        code: 'RUN_ALREADY_RESUMED',
      })
    }
  })

  test('is resumed and released by its own handle, wherever its resource came from', async () => {
    const agent = new Agent({
      model: new ScriptedModel(() => 'Hello.'),
      storage: new InMemoryRunStore(),
      processors: [asker()],
    })
    const requestContext = new RequestContext({}, { resourceId: 'alice' })
    for (const options of [{ resourceId: 'alice' }, { requestContext }, {}]) {
      const first = await agent.generate('Hi', options)
      expect(await first.suspension?.resume('yes')).toBeCompleted()
      const second = await agent.generate('Hi', options)
      expect(await second.suspension?.release()).toBe(true)
    }
  })

  test('is released if no caller can know it', async () => {
    const storage = new InMemoryRunStore()
    const agent = new Agent({ model: new ScriptedModel([]), storage, processors: [asker()] })
    const controller = new AbortController()
    const saveRun = storage.saveRun.bind(storage)
    storage.saveRun = async (run) => {
      await saveRun(run)
      controller.abort()
    }
    const result = await agent.generate('Hi', { resourceId: 'alice', abortSignal: controller.signal })
    expect(result).toHaveStatus('aborted')
    await turn()
    expect(await storage.listRuns({ resourceId: 'alice' })).toEqual([])
  })
})

describe('the data that a run is resumed with', () => {
  async function suspended() {
    const seen: unknown[] = []
    const agent = new Agent({
      model: new ScriptedModel(() => 'Hello.'),
      storage: new InMemoryRunStore(),
      processors: [asker(seen)],
    })
    return { agent, seen, id: idOf(await agent.generate('Hi')) }
  }

  test('is read once, when it is passed', async () => {
    const { agent, seen, id } = await suspended()
    let reads = 0
    const data = {
      amount: 5,
      list: [1],
      get once() {
        return ++reads
      },
    }
    const resumed = agent.resume(id, data)
    data.amount = 5_000
    data.list.push(2)
    await resumed
    expect(seen.at(-1)).toEqual({ amount: 5, list: [1], once: 1 })
    expect(reads).toBe(1)
  })

  test.each([
    ['nothing', undefined, undefined],
    ['null', null, null],
    ['a text that is no mark', 'ab', 'ab'],
    ['a proxy', new Proxy({ a: 1 }, {}), { a: 1 }],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['what JSON leaves out', { a: undefined, b: () => 1, c: 1 }, { c: 1 }],
    ['a key that is none', JSON.parse('{"__proto__":1}'), JSON.parse('{"__proto__":1}')],
    ['an error by call id', { call: new TypeError('Closed.') }, { call: new Error('Closed.') }],
    ['an error', new Error('Closed.'), new Error('Closed.')],
  ])('is JSON: %s', async (_, data, expected) => {
    const { agent, seen, id } = await suspended()
    const result = await agent.resume(id, data)
    if (expected === undefined) return expect(result).toHaveStatus('suspended')
    expect(seen.at(-1)).toEqual(expected)
  })

  const cyclic: { self?: unknown } = {}
  cyclic.self = cyclic
  const throwing = {
    get a() {
      throw new Error('no')
    },
  }
  test.each([
    ['a cycle', cyclic],
    ['a set', { amounts: new Set([1]) }],
    ['a function', () => 1],
    ['a getter that throws', throwing],
  ])('is refused where it is not: %s, and the run can still be resumed', async (_, data) => {
    const { agent, id } = await suspended()
    await expect(agent.resume(id, data)).rejects.toMatchObject({ code: 'RUN_RESUME_INVALID' })
    expect(await agent.resume(id, 'yes')).toBeCompleted()
  })
})

describe('a resumed run is a promise', () => {
  function waiting() {
    return new Agent({
      model: new ScriptedModel(() => 'Hello.'),
      storage: new InMemoryRunStore(),
      processors: [asker()],
    })
  }

  test('with catch and finally', async () => {
    const agent = waiting()
    const ended: string[] = []
    const first = await agent.generate('Hi')
    const resumed: Promise<unknown> = agent.resume(idOf(first), 'yes').finally(() => ended.push('finally'))
    expect(await resumed).toBeCompleted()
    expect(ended).toEqual(['finally'])
    const second = await agent.generate('Hi')
    expect(await second.suspension?.resume('yes').catch(() => 'failed')).toBeCompleted()
    expect(await agent.resume('nonesuch').catch(({ code }) => code)).toBe('RUN_NOT_FOUND')
    await expect(agent.resume('nonesuch').finally(() => ended.push('again'))).rejects.toThrow()
    expect(ended).toEqual(['finally', 'again'])
  })

  test('among others', async () => {
    const agent = waiting()
    const runs: Promise<unknown>[] = [agent.resume('a'), agent.resume('b')]
    const outcomes = await Promise.allSettled(runs)
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

describe('why a run cannot be resumed', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  async function suspend(options: Partial<AgentOptions> = {}) {
    const storage = new InMemoryRunStore()
    const agent = new Agent({
      model: new ScriptedModel(['Hello.']),
      storage,
      processors: [asker()],
      ...options,
    })
    return { agent, storage, id: idOf(await agent.generate('Hi')) }
  }

  test('it does not exist', async () => {
    const { agent } = await suspend()
    await expect(agent.resume('nonesuch')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    expect(await agent.release('nonesuch')).toBe(false)
  })

  test('it was resumed', async () => {
    const { agent, id } = await suspend()
    await agent.resume(id, 'yes')
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_ALREADY_RESUMED' })
    expect(await agent.release(id)).toBe(false)
  })

  test('it was released', async () => {
    const { agent, id } = await suspend()
    expect(await agent.release(id)).toBe(true)
    expect(await agent.release(id)).toBe(false)
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_RELEASED' })
  })

  test('it has expired', async () => {
    const { agent, id } = await suspend({ suspensionTtl: 1_000 })
    vi.advanceTimersByTime(1_000)
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_EXPIRED' })
    expect(await agent.release(id)).toBe(false)
    expect(await agent.suspendedRuns()).toEqual([])
  })

  test('and directly before that it has not', async () => {
    const { agent, id } = await suspend({ suspensionTtl: 1_000 })
    vi.advanceTimersByTime(999)
    expect(await agent.resume(id, 'yes')).toBeCompleted()
  })

  test('a processor is missing, or does not have the hook any more', async () => {
    const { storage, id } = await suspend()
    const without = new Agent({ model: new ScriptedModel([]), storage })
    await expect(without.resume(id, 'yes')).rejects.toMatchObject({
      code: 'RUN_INCOMPATIBLE',
      message: expect.stringContaining("'asker'"),
    })
    const changed = new Agent({
      model: new ScriptedModel([]),
      storage,
      processors: [
        { id: 'other', processInput: () => {} },
        { id: 'asker', processOutputStep: () => {} },
      ],
    })
    await expect(changed.resume(id, 'yes')).rejects.toMatchObject({
      code: 'RUN_INCOMPATIBLE',
      message: expect.stringContaining('processInput'),
    })
    const whole = new Agent({ model: new ScriptedModel(['Hello.']), storage, processors: [asker()] })
    expect(await whole.resume(id, 'yes')).toBeCompleted()
  })

  test('a tool that it has not called yet is missing, or cannot be executed any more', async () => {
    const tools = { look: tool({ inputSchema: anything, execute: () => 'seen' }) }
    const processors: Processor[] = [
      {
        id: 'gatekeeper',
        processToolResult: ({ resumeData, suspend, toolCall }) =>
          toolCall.toolName === 'first' && resumeData === undefined ? suspend() : undefined,
        processToolCall: ({ resumeData, suspend }) => (resumeData === undefined ? suspend() : undefined),
      },
    ]
    const { storage, id } = await suspend({ model: new ScriptedModel([toolCall('look')]), tools, processors })
    const resume = (tools: AgentOptions['tools']) =>
      new Agent({ model: new ScriptedModel(['Done.']), storage, processors, tools: tools ?? {} }).resume(
        id,
        'yes',
      )
    await expect(resume({})).rejects.toMatchObject({
      code: 'RUN_INCOMPATIBLE',
      message: expect.stringContaining("'look'"),
    })
    expect(await resume(tools)).toHaveText('Done.')
  })

  test('a call that was to be executed here has no execute any more', async () => {
    const needsApproval = true
    const { storage, id } = await suspend({
      model: new ScriptedModel([toolCall('look')]),
      tools: { look: { ...tool({ inputSchema: anything, execute: () => 'seen' }), needsApproval } },
      processors: [],
    })
    const agent = new Agent({
      model: new ScriptedModel(['Done.']),
      storage,
      tools: { look: { inputSchema: anything } },
    })
    await expect(agent.resume(id, { approved: true })).rejects.toMatchObject({ code: 'RUN_INCOMPATIBLE' })
  })

  test.each<[string, (stored: string) => string]>([
    ['another version', (stored) => JSON.stringify({ ...JSON.parse(stored), version: 99 })],
    ['no version', (stored) => JSON.stringify({ ...JSON.parse(stored), version: undefined })],
    ['no object', () => '[]'],
    ['no JSON', (stored) => stored.slice(0, -1)],
    ...Object.entries({ messages: [null], place: { phase: 'nowhere' }, steps: 1, usage: null }).flatMap(
      ([field, other]): [string, (stored: string) => string][] => [
        [`without ${field}`, (stored) => JSON.stringify({ ...JSON.parse(stored), [field]: undefined })],
        [`with other ${field}`, (stored) => JSON.stringify({ ...JSON.parse(stored), [field]: other })],
      ],
    ),
  ])('it was stored in another form: %s', async (_, change) => {
    const { agent, storage, id } = await suspend()
    const found = await storage.getRun(id)
    if (found?.state !== 'suspended') throw new Error('The run is not suspended.')
    vi.spyOn(storage, 'getRun').mockResolvedValue({
      state: 'suspended',
      run: { ...found.run, snapshot: change(found.run.snapshot) },
    })
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_INCOMPATIBLE' })
    expect(await storage.releaseRun(id)).toBe('suspended')
  })

  test('is emitted in the stream as well', async () => {
    const { agent } = await suspend()
    const stream = agent.resume('nonesuch')
    const chunks = await collect(stream.fullStream)
    expect(chunks.at(-1)).toMatchObject({ type: 'error', error: { code: 'RUN_NOT_FOUND' } })
    await expect(stream.text).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  })
})

describe('two at the same time', () => {
  test.each([2, 5])('of %i that resume the same run, one succeeds', async (count) => {
    const storage = slow(new InMemoryRunStore())
    let executed = 0
    const build = () =>
      new Agent({
        model: new ScriptedModel(() => 'Done.'),
        storage,
        tools: {
          pay: { ...tool({ inputSchema: anything, execute: () => ++executed }), needsApproval: true },
        },
      })
    const suspended = await new Agent({
      model: new ScriptedModel([toolCall('pay')]),
      storage,
      tools: { pay: { ...tool({ inputSchema: anything, execute: () => ++executed }), needsApproval: true } },
    }).generate('Go')
    const outcomes = await Promise.allSettled(
      Array.from({ length: count }, () => build().resume(idOf(suspended), { approved: true })),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'RUN_ALREADY_RESUMED' })
    }
    expect(executed).toBe(1)
  })

  test('a release and a resume: one of them', async () => {
    const storage = slow(new InMemoryRunStore())
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), storage, processors: [asker()] })
    const id = idOf(await agent.generate('Hi'))
    const [released, resumed] = await Promise.allSettled([agent.release(id), agent.resume(id, 'yes')])
    expect(released).toEqual({ status: 'fulfilled', value: true })
    expect(resumed).toMatchObject({ status: 'rejected', reason: { code: 'RUN_RELEASED' } })
  })

  test('two runs of one agent can be suspended at the same time', async () => {
    const agent = new Agent({
      model: new ScriptedModel(({ prompt }) => JSON.stringify(prompt.at(-1)?.content)),
      storage: new InMemoryRunStore(),
      processors: [asker()],
    })
    const [a, b] = await Promise.all([agent.generate('One'), agent.generate('Two')])
    const [second, first] = await Promise.all([agent.resume(idOf(b), 1), agent.resume(idOf(a), 1)])
    expect(first?.text).toContain('One')
    expect(second?.text).toContain('Two')
  })
})

describe('an abort', () => {
  test('while the run is being stored leaves no unknown run behind', async () => {
    const storage = new InMemoryRunStore()
    const controller = new AbortController()
    const saved = latch()
    const slowStore = withMethods(storage, {
      saveRun: async (run) => {
        controller.abort(new Error('enough'))
        await storage.saveRun(run)
        saved.release()
      },
    })
    const agent = new Agent({ model: new ScriptedModel([]), storage: slowStore, processors: [asker()] })
    const stream = agent.stream('Hi', { abortSignal: controller.signal })
    const chunks = await collect(stream.fullStream)
    expect(await stream.result).toHaveStatus('aborted')
    await saved.released
    await turn()
    expect(await storage.listRuns({})).toEqual([])
    expect(chunks.at(-1)).toMatchObject({ type: 'abort' })
  })

  test('before a resume has started leaves the run resumable', async () => {
    const agent = new Agent({
      model: new ScriptedModel(['Hello.']),
      storage: new InMemoryRunStore(),
      processors: [asker()],
    })
    const id = idOf(await agent.generate('Hi'))
    const result = await agent.resume(id, 'yes', { abortSignal: AbortSignal.abort() })
    expect(result).toHaveStatus('aborted')
    await turn()
    expect(await agent.resume(id, 'yes')).toBeCompleted()
  })

  test('of a resumed run ends it, and it stays used', async () => {
    const stop = gate()
    const agent = new Agent({
      model: new ScriptedModel([[text('Hel'), stop, 'lo']]),
      storage: new InMemoryRunStore(),
      processors: [asker()],
    })
    const id = idOf(await agent.generate('Hi'))
    const controller = new AbortController()
    const resumed = agent.resume(id, 'yes', { abortSignal: controller.signal })
    const result = resumed.result
    await stop.reached
    controller.abort()
    expect(await result).toHaveStatus('aborted')
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_ALREADY_RESUMED' })
  })

  test.each<[string, Processor[]]>([
    ['finish', []],
    ['tripwire', [{ id: 'judge', processOutputResult: ({ abort }) => abort('no') }]],
    ['finish', [{ id: 'halter', processOutputResult: ({ halt }) => halt('No.') }]],
    ['suspended', [{ id: 'asker', processOutputResult: ({ suspend }) => suspend() }]],
  ])(
    'by a reader who leaves with the last chunk, %s, comes too late to change the end',
    async (last, processors) => {
      const agent = new Agent({
        model: new ScriptedModel(() => 'Hello.'),
        storage: new InMemoryRunStore(),
        processors,
      })
      const expected = await agent.generate('Hi')
      const stream = agent.stream('Hi')
      for await (const chunk of stream.fullStream) if (chunk.type === last) break
      expect(await stream.status).toBe(expected.status)
    },
  )

  test('without a reader for the last chunk does not wait forever', async () => {
    const controller = new AbortController()
    const agent = new Agent({
      model: new ScriptedModel([text('a b c d e f g')]),
      storage: new InMemoryRunStore(),
    })
    const stream = agent.stream('Hi', { abortSignal: controller.signal })
    const reader = stream.fullStream[Symbol.asyncIterator]()
    await reader.next()
    const status = stream.run().then((result) => result.status)
    // The rest fits into the room there is, up to the end.
    for (let count = 0; count < 8; count++) await reader.next()
    await turn()
    controller.abort()
    expect(['completed', 'aborted']).toContain(await status)
  })
})

describe('limits', () => {
  test('a run that is too large is an error with its size, and nothing is stored', async () => {
    const storage = new InMemoryRunStore({ maxRunBytes: 2_000 })
    const agent = new Agent({ model: new ScriptedModel([]), storage, processors: [asker()] })
    await expect(agent.generate('x'.repeat(2_000))).rejects.toMatchObject({
      code: 'RUN_TOO_LARGE',
      message: expect.stringMatching(/2000/),
    })
    expect(await agent.suspendedRuns()).toEqual([])
    expect(await agent.generate('x')).toHaveStatus('suspended')
  })

  test('one run too many is an error; resuming or releasing one makes room', async () => {
    const storage = new InMemoryRunStore({ maxRuns: 2 })
    const agent = new Agent({ model: new ScriptedModel(() => 'Hello.'), storage, processors: [asker()] })
    const a = await agent.generate('Hi')
    const b = await agent.generate('Hi')
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'RUN_LIMIT_REACHED' })
    await agent.resume(idOf(a), 'yes')
    expect(await agent.generate('Hi')).toHaveStatus('suspended')
    await b.suspension?.release()
    expect(await agent.generate('Hi')).toHaveStatus('suspended')
  })

  test('a store that fails fails the run, with its error as the cause', async () => {
    const cause = new Error('disk full')
    const storage: RunStore = Object.assign(new InMemoryRunStore(), {
      saveRun: () => Promise.reject(cause),
    })
    const stream = new Agent({ model: new ScriptedModel([]), storage, processors: [asker()] }).stream('Hi')
    const error = expect.objectContaining({ code: 'RUN_FAILED', cause })
    expect((await collect(stream.fullStream)).at(-1)).toEqual({ type: 'error', error })
    await expect(stream.result).rejects.toEqual(error)
  })
})

test('a processor that catches what suspend throws has still suspended', async () => {
  const swallowing: Processor = {
    id: 'asker',
    processToolCall: async ({ suspend, resumeData }) => {
      try {
        if (resumeData === undefined) suspend('Sure?')
        await Promise.resolve()
      } catch {
        return { output: 'as if it had been approved' }
      }
      return undefined
    },
  }
  let executed = 0
  const agent = new Agent({
    storage: new InMemoryRunStore(),
    model: new ScriptedModel([toolCall('pay'), 'Done.']),
    tools: { pay: tool({ inputSchema: anything, execute: () => ++executed }) },
    processors: [swallowing],
  })
  const suspended = await agent.generate('Hi')
  expect(suspended).toHaveStatus('suspended')
  expect(executed).toBe(0)
  expect(await agent.resume(idOf(suspended), 'yes')).toHaveText('Done.')
  expect(executed).toBe(1)
})

test('suspending twice in one call suspends once, with the last payload', async () => {
  const agent = new Agent({
    storage: new InMemoryRunStore(),
    model: new ScriptedModel(['Hello.']),
    processors: [
      {
        id: 'asker',
        processInput: ({ resumeData, suspend }) => {
          if (resumeData !== undefined) return
          try {
            suspend('one')
          } finally {
            suspend('two')
          }
        },
      },
    ],
  })
  const suspended = await agent.generate('Hi')
  expect(suspended.suspension?.payload).toBe('two')
  expect(await agent.suspendedRuns()).toHaveLength(1)
  expect(await agent.resume(idOf(suspended), 'yes')).toBeCompleted()
})

/** A store that answers a turn of the event loop later, as a real one does. */
function slow(store: InMemoryRunStore): RunStore {
  const later =
    <ARGUMENTS extends unknown[], RESULT>(method: (...values: ARGUMENTS) => Promise<RESULT>) =>
    async (...values: ARGUMENTS): Promise<RESULT> => {
      await turn()
      return method.apply(store, values)
    }
  const { saveRun, getRun, claimRun, releaseRun } = store
  return withMethods(store, {
    saveRun: later(saveRun),
    getRun: later(getRun),
    claimRun: later(claimRun),
    releaseRun: later(releaseRun),
  })
}

/** A store with some methods of another kind. */
function withMethods(store: RunStore, methods: Partial<RunStore>): RunStore {
  return new Proxy(store, {
    get(target, name) {
      const method = methods[name as keyof RunStore] ?? target[name as keyof RunStore]
      return typeof method === 'function' ? method.bind(target) : method
    },
  })
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function latch(): { released: Promise<void>; release: () => void } {
  let release = (): void => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  return { released, release }
}

describe('a call that suspends next to others', () => {
  const calls = [toolCall('wait', {}, { id: 'a' }), toolCall('look', {}, { id: 'b' })]
  const wait = tool({
    inputSchema: z.object({}),
    execute: (_, { resumeData }) => {
      if (resumeData === undefined) throw new Suspend('Which?')
      return `raw ${resumeData}`
    },
  })

  test('leaves nothing in the stored run that the processors have not seen', async () => {
    const storage = new InMemoryRunStore()
    const seen: string[] = []
    const redacts: Processor = {
      id: 'redacts',
      processToolResult: ({ toolCall, output }) => {
        seen.push(toolCall.toolCallId)
        return { output: String(output).replace('raw', 'clean') }
      },
    }
    const look = tool({ inputSchema: z.object({}), execute: () => 'raw view' })
    const model = new ScriptedModel([calls, 'Done.'])
    const agent = new Agent({ model, tools: { wait, look }, processors: [redacts], storage })
    const waiting = await agent.generate('Hi')
    expect(JSON.stringify(await storage.getRun(waiting.runId))).not.toContain('raw')
    const resumed = await agent.resume(waiting.runId, 'one')
    expect(resumed).toBeCompleted()
    expect(seen).toEqual(['b', 'a'])
    expect(resumed.steps[0]?.toolResults).toMatchObject([
      { toolCallId: 'a', output: 'clean one' },
      { toolCallId: 'b', output: 'clean view' },
    ])
  })

  test('is resumed after another that a processor suspended on, and no hook is repeated', async () => {
    const storage = new InMemoryRunStore()
    const log: string[] = []
    const notes: Processor = {
      id: 'notes',
      processToolResult: ({ toolCall }) => {
        log.push(`notes ${toolCall.toolCallId}`)
      },
    }
    const asks: Processor = {
      id: 'asks',
      processToolResult: ({ toolCall, resumeData, suspend }) => {
        log.push(`asks ${toolCall.toolCallId} ${resumeData}`)
        if (toolCall.toolCallId === 'b' && resumeData === undefined) suspend('Is it fine?')
      },
    }
    let looked = 0
    const look = tool({ inputSchema: z.object({}), execute: () => `view ${++looked}` })
    const model = new ScriptedModel([calls, 'Done.'])
    const agent = new Agent({ model, tools: { wait, look }, processors: [notes, asks], storage })
    const first = await agent.generate('Hi')
    expect(first.suspension).toMatchObject({ payload: 'Which?', toolCallId: 'a' })
    const second = await agent.resume(first.runId, 'one')
    expect(second.suspension).toMatchObject({ payload: 'Is it fine?', processorId: 'asks', toolCallId: 'b' })
    const third = await agent.resume(second.runId, 'yes')
    expect(third).toBeCompleted()
    expect(log).toEqual([
      'notes b',
      'asks b undefined',
      'notes a',
      'asks a undefined',
      'asks b undefined',
      'asks b yes',
    ])
    expect(third.steps[0]?.toolResults).toMatchObject([{ output: 'raw one' }, { output: 'view 1' }])
  })
})
