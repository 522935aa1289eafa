import { collect, file, gate, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Agent } from '../agent.ts'
import type { AgentOptions } from '../agent-options.ts'
import type { Message } from '../messages/message.ts'
import type { Processor } from '../processors/processor.ts'
import { RequestContext } from '../request-context.ts'
import { Suspend } from '../signals.ts'
import { InMemoryRunStore } from '../storage/in-memory-run-store.ts'
import type { RunStore, StoredRun } from '../storage/run-store.ts'
import { tool } from '../tools/tool.ts'
import type { RunResult } from './result.ts'

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
  test('says what it waits for, where, and under which id, in result and stream', async () => {
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
    const found = await storage.getRun(result.runId)
    const run = found?.state === 'suspended' ? found.run : undefined
    expect(JSON.parse(JSON.stringify(run))).toEqual(run)
    expect(JSON.parse(run?.snapshot ?? '')).toMatchObject({ version: 1 })
    expect(run).toMatchObject({ agentName: 'support', threadId: 't', resourceId: 'r', hook: 'processInput' })
    expect((run?.expiresAt ?? 0) - (run?.createdAt ?? 0)).toBe(24 * 60 * 60 * 1000)
  })

  test('goes on through its own handle, with the options it had', async () => {
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

  test('goes on by its id, with an agent built anew, awaited or as a stream', async () => {
    const storage = new InMemoryRunStore()
    const build = () => new Agent({ model: new ScriptedModel(['Hello.']), storage, processors: [asker()] })
    const first = await build().generate('Hi')
    const second = await build().generate('Hi')
    expect(await build().resume(idOf(first), 'yes')).toHaveText('Hello.')
    const stream = build().resume(idOf(second), 'yes')
    expect(textOf(await collect(stream.fullStream))).toBe('Hello.')
    expect(await stream.status).toBe('completed')
  })

  test('is lost to nobody who only looks at it: a resume that is not awaited or read does nothing', async () => {
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

  test('listed by thread or resource, without the run itself', async () => {
    const storage = new InMemoryRunStore()
    const agent = new Agent({ model: new ScriptedModel([]), storage, processors: [asker()] })
    const a = await agent.generate('Hi', { threadId: 'a', resourceId: 'x' })
    const b = await agent.generate('Hi', { requestContext: new RequestContext({}, { threadId: 'b' }) })
    const c = await agent.generate('Hi', { threadId: 'c', resourceId: 'x' })
    const ids = async (filter?: { threadId?: string; resourceId?: string }) =>
      (await agent.suspendedRuns(filter)).map(({ runId }) => runId)
    expect(await ids()).toEqual([a, b, c].map(idOf))
    expect(await ids({ threadId: 'b' })).toEqual([idOf(b)])
    expect(await ids({ resourceId: 'x' })).toEqual([idOf(a), idOf(c)])
    expect(await ids({ resourceId: 'x', threadId: 'b' })).toEqual([])
    expect((await agent.suspendedRuns())[0]).not.toHaveProperty('snapshot')
    await c.suspension?.release()
    expect(await ids({ resourceId: 'x' })).toEqual([idOf(a)])
  })

  test('keeps thread and resource when it is resumed without them', async () => {
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
    const result = await agent.resume(idOf(suspended), 'yes')
    expect(seen).toEqual([['t', 'r']])
    expect(result.messages[0]).toMatchObject({ threadId: 't', resourceId: 'r' })
  })

  test('of another resource is not there', async () => {
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

  test('there is none', async () => {
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

  test('it is too late', async () => {
    const { agent, id } = await suspend({ suspensionTtl: 1_000 })
    vi.advanceTimersByTime(1_000)
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_EXPIRED' })
    expect(await agent.release(id)).toBe(false)
    expect(await agent.suspendedRuns()).toEqual([])
  })

  test('and just before that it is not', async () => {
    const { agent, id } = await suspend({ suspensionTtl: 1_000 })
    vi.advanceTimersByTime(999)
    expect(await agent.resume(id, 'yes')).toBeCompleted()
  })

  test('a processor is missing, or has lost the hook', async () => {
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

  test('a tool it has yet to call is missing, or cannot be executed any more', async () => {
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
  ])('it was stored in another form: %s', async (_, change) => {
    const { agent, storage, id } = await suspend()
    const found = await storage.getRun(id)
    if (found?.state !== 'suspended') throw new Error('The run is not suspended.')
    vi.spyOn(storage, 'getRun').mockResolvedValue({
      state: 'suspended',
      run: { ...found.run, snapshot: change(found.run.snapshot) },
    })
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_INCOMPATIBLE' })
    expect(await storage.claimRun(id, 'released')).toBe('suspended')
  })

  test('is said in the stream as well', async () => {
    const { agent } = await suspend()
    const stream = agent.resume('nonesuch')
    const chunks = await collect(stream.fullStream)
    expect(chunks.at(-1)).toMatchObject({ type: 'error', error: { code: 'RUN_NOT_FOUND' } })
    await expect(stream.text).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  })
})

describe('two at once', () => {
  test.each([2, 5])('of %i that resume the same run one gets it', async (count) => {
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

  test('two runs of one agent wait side by side', async () => {
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
  test('while the run is being stored leaves no run behind that nobody knows of', async () => {
    const storage = new InMemoryRunStore()
    const controller = new AbortController()
    const saved = latch()
    const slowStore: RunStore = {
      saveRun: async (run) => {
        controller.abort(new Error('enough'))
        await storage.saveRun(run)
        saved.release()
      },
      getRun: (id) => storage.getRun(id),
      claimRun: (...args) => storage.claimRun(...args),
      listRuns: (filter) => storage.listRuns(filter),
    }
    const agent = new Agent({ model: new ScriptedModel([]), storage: slowStore, processors: [asker()] })
    const stream = agent.stream('Hi', { abortSignal: controller.signal })
    const chunks = await collect(stream.fullStream)
    expect(await stream.result).toHaveStatus('aborted')
    await saved.released
    await turn()
    expect(await storage.listRuns({})).toEqual([])
    expect(chunks.at(-1)).toMatchObject({ type: 'abort' })
  })

  test('before a resume has begun leaves the run resumable', async () => {
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

  test('with nobody to take the last chunk does not wait for ever', async () => {
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
  test('a run too large is an error that says how large, and nothing is stored', async () => {
    const storage = new InMemoryRunStore({ maxRunBytes: 2_000 })
    const agent = new Agent({ model: new ScriptedModel([]), storage, processors: [asker()] })
    await expect(agent.generate('x'.repeat(2_000))).rejects.toMatchObject({
      code: 'RUN_TOO_LARGE',
      message: expect.stringMatching(/2000/),
    })
    expect(await agent.suspendedRuns()).toEqual([])
    expect(await agent.generate('x')).toHaveStatus('suspended')
  })

  test('one too many is an error; one resumed or released makes room', async () => {
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

  test('a store that fails fails the run with its error', async () => {
    const cause = new Error('disk full')
    const storage: RunStore = Object.assign(new InMemoryRunStore(), {
      saveRun: () => Promise.reject(cause),
    })
    const stream = new Agent({ model: new ScriptedModel([]), storage, processors: [asker()] }).stream('Hi')
    expect((await collect(stream.fullStream)).at(-1)).toEqual({ type: 'error', error: cause })
    await expect(stream.result).rejects.toBe(cause)
  })
})

describe('what is kept', () => {
  test('messages with their attachments, origins, order, dates and metadata', async () => {
    const dataUrl = `data:application/json;base64,${btoa(JSON.stringify({ nested: { deep: [1, 'é'.length] } }))}`
    const createdAt = new Date(Date.UTC(2020, 1, 29))
    const input: Message = {
      id: 'input',
      role: 'user',
      createdAt,
      content: {
        metadata: { nested: { json: dataUrl } },
        parts: [
          { type: 'text', text: 'Read this.', providerMetadata: { p: { cache: true } } },
          { type: 'file', mediaType: 'application/json', url: dataUrl, filename: 'a.json' },
        ],
      },
    }
    const remembered: Message = { ...input, id: 'old', content: { parts: [{ type: 'text', text: 'Old.' }] } }
    const hint: Message = { ...input, id: 'hint', content: { parts: [{ type: 'text', text: 'Hint.' }] } }
    const origins: unknown[] = []
    const processors: Processor[] = [
      {
        id: 'memory',
        processInput: ({ messageList }) => {
          messageList.add(remembered, 'remembered').add(hint, 'context')
          // A hint works best at the end.
          return [remembered, input, hint].map(({ id }) => messageList.find(id) as Message)
        },
      },
      asker(),
      {
        id: 'looker',
        processInputStep: ({ messageList }) => {
          origins.push(
            ...messageList.get().map(({ id, createdAt }) => [id, messageList.originOf(id), createdAt]),
          )
        },
      },
    ]
    const plain = new ScriptedModel(['Hello.'])
    await new Agent({ model: plain, processors: processors.filter(({ id }) => id !== 'asker') }).generate([
      input,
    ])

    const model = new ScriptedModel(['Hello.'])
    const agent = new Agent({ model, storage: new InMemoryRunStore(), processors })
    await agent.resume(idOf(await agent.generate([input])), 'yes')
    expect(origins.slice(3)).toEqual([
      ['old', 'remembered', createdAt],
      ['input', 'input', createdAt],
      ['hint', 'context', createdAt],
    ])
    expect(model.lastPrompt).toEqual(plain.lastPrompt)
    expect(JSON.stringify(model.lastPrompt)).toContain(dataUrl.split(',')[1])
  })

  test('files the model made', async () => {
    const bytes = new Uint8Array([0, 255, 128])
    const agent = new Agent({
      model: new ScriptedModel([[file('image/png', bytes), toolCall('look')], 'Done.']),
      storage: new InMemoryRunStore(),
      tools: { look: { ...tool({ inputSchema: anything, execute: () => 'seen' }), needsApproval: true } },
    })
    const result = await agent.resume(idOf(await agent.generate('Hi')), { approved: true })
    expect(result.messages[0]?.content.parts).toContainEqual(
      expect.objectContaining({ type: 'file', url: 'data:image/png;base64,AP+A' }),
    )
  })

  test('usage so far, which the rest adds to', async () => {
    const agent = new Agent({
      model: new ScriptedModel([toolCall('look'), 'Done.']),
      storage: new InMemoryRunStore(),
      tools: { look: { ...tool({ inputSchema: anything, execute: () => 'seen' }), needsApproval: true } },
    })
    const suspended = await agent.generate('Hi')
    expect(suspended.usage.totalTokens).toBe(15)
    const result = await agent.resume(idOf(suspended), { approved: true })
    expect(result.usage.totalTokens).toBe(30)
    expect(result.steps.map(({ usage }) => usage.totalTokens)).toEqual([15, 15])
  })

  test('how often the run was retried, and the feedback of a retry under way', async () => {
    const model = new ScriptedModel(['Bad.', 'Bad.', 'Bad.', 'Good.'])
    const counts: number[] = []
    const agent = new Agent({
      model,
      storage: new InMemoryRunStore(),
      maxProcessorRetries: 2,
      processors: [
        {
          id: 'asker',
          processInputStep: ({ retryCount, resumeData, suspend }) => {
            counts.push(retryCount)
            if (retryCount === 1 && resumeData === undefined) suspend()
          },
        },
        {
          id: 'judge',
          processOutputStep: ({ text, abort }) =>
            text === 'Bad.' ? abort('Be good.', { retry: true }) : undefined,
        },
      ],
    })
    const suspended = await agent.generate('Hi')
    const result = await agent.resume(idOf(suspended), 'yes')
    expect(counts).toEqual([0, 1, 1, 2])
    expect(model.calls[1]?.prompt.at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'Be good.' }],
    })
    expect(result).toHaveTripped({ processorId: 'judge', retryCount: 2 })
    expect(result.usage.totalTokens).toBe(45)
  })

  test("processors' state, as it was", async () => {
    const state = {
      text: 'é \u2028 "',
      number: -1.5e300,
      flags: [true, false, null],
      deep: { er: { list: [{}, []] } },
      __proto__key: 1,
    }
    const seen: unknown[] = []
    const keeper: Processor = {
      id: 'keeper',
      processInput: (args) => {
        Object.assign(args.state, structuredClone(state))
      },
      processOutputResult: (args) => {
        seen.push(args.state)
      },
    }
    const agent = new Agent({
      model: new ScriptedModel(['Hello.']),
      storage: new InMemoryRunStore(),
      processors: [keeper, asker()],
    })
    await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(seen).toEqual([state])
  })

  test.each<[string, unknown, string]>([
    ['a Map', new Map(), 'broken'],
    ['a Set within a list', [[new Set()]], 'broken.0.0'],
    ['a function', () => 1, 'broken'],
    ['NaN', Number.NaN, 'broken'],
    ['Infinity', { deep: Number.POSITIVE_INFINITY }, 'broken.deep'],
    ['a Date', new Date(0), 'broken'],
    ['a class instance', new (class Own {})(), 'broken'],
    ['bytes', new Uint8Array(1), 'broken'],
    ['a bigint', 1n, 'broken'],
    ['a symbol', Symbol('s'), 'broken'],
    ['undefined in a list', [undefined], 'broken.0'],
    ['a circle', circle(), 'broken.self'],
  ])('or an error that names the processor and the place: %s', async (_, broken, place) => {
    const storage = new InMemoryRunStore()
    const agent = new Agent({
      model: new ScriptedModel([]),
      storage,
      processors: [
        {
          id: 'keeper',
          processInput: ({ state }) => {
            state.fine = { list: [1] }
            state.broken = broken
          },
        },
        asker(),
      ],
    })
    const error = await agent.generate('Hi').catch((error) => error)
    expect(error).toMatchObject({ code: 'RUN_STATE_NOT_JSON' })
    expect(error.message).toContain("'keeper'")
    expect(error.message).toContain(`'${place}'`)
    expect(await storage.listRuns({})).toEqual([])
  })

  test('the same object twice in state is no circle', async () => {
    const shared = { a: 1 }
    const agent = new Agent({
      model: new ScriptedModel([]),
      storage: new InMemoryRunStore(),
      processors: [
        {
          id: 'keeper',
          processInput: ({ state }) => {
            Object.assign(state, { one: shared, two: shared, list: [shared, shared] })
          },
        },
        asker(),
      ],
    })
    expect(await agent.generate('Hi')).toHaveStatus('suspended')
  })

  test('a payload that is not JSON is an error', async () => {
    for (const payload of [circle(), () => 1, 1n]) {
      const agent = new Agent({
        model: new ScriptedModel([]),
        processors: [{ id: 'asker', processInput: ({ suspend }) => suspend(payload) }],
      })
      await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'RUN_STATE_NOT_JSON' })
    }
  })

  test('apart from the caller’s objects: what is edited after the suspension changes nothing stored', async () => {
    const seen: unknown[] = []
    const agent = new Agent({
      model: new ScriptedModel([toolCall('wait'), 'Done.']),
      storage: new InMemoryRunStore(),
      tools: {
        wait: tool({
          inputSchema: anything,
          execute: (_, { resumeData, suspendPayload }) => {
            if (resumeData === undefined) throw new Suspend({ price: 1 })
            seen.push(suspendPayload)
            return 'paid'
          },
        }),
      },
    })
    const suspended = await agent.generate('Hi')
    Object.assign(suspended.suspension?.payload as object, { price: 1_000 })
    for (const { payload } of await agent.suspendedRuns()) Object.assign(payload as object, { price: 2_000 })
    await agent.resume(idOf(suspended), 'yes')
    expect(seen).toEqual([{ price: 1 }])
  })
})

describe('where it goes on', () => {
  test('the processor that suspended, and no other with its id, gets the data', async () => {
    const seen: string[] = []
    const one = (name: string, suspends: boolean): Processor => ({
      id: 'same',
      processToolCall: ({ resumeData, suspend }) => {
        seen.push(`${name} ${resumeData}`)
        if (suspends && resumeData === undefined) suspend()
      },
    })
    const agent = new Agent({
      model: new ScriptedModel([toolCall('look'), 'Done.']),
      storage: new InMemoryRunStore(),
      tools: { look: tool({ inputSchema: anything, execute: () => 'seen' }) },
      inputProcessors: [one('input', false)],
      outputProcessors: [one('output', true)],
    })
    const result = await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(result).toHaveText('Done.')
    expect(seen).toEqual(['input undefined', 'output undefined', 'output yes'])
  })

  test('only the call that had suspended gets the data', async () => {
    const seen: unknown[] = []
    const agent = new Agent({
      model: new ScriptedModel([toolCall('look'), 'Done.']),
      storage: new InMemoryRunStore(),
      tools: { look: tool({ inputSchema: anything, execute: () => 'seen' }) },
      processors: [
        {
          id: 'asker',
          processInputStep: ({ stepNumber, resumeData, suspend }) => {
            seen.push([stepNumber, resumeData])
            if (stepNumber === 0 && resumeData === undefined) suspend()
          },
          processToolCall: ({ resumeData }) => {
            seen.push(['call', resumeData])
          },
        },
      ],
    })
    await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(seen).toEqual([
      [0, undefined],
      [0, 'yes'],
      ['call', undefined],
      [1, undefined],
    ])
  })

  test('processors before the one that suspended are not asked again; what they made of the step stays', async () => {
    const model = new ScriptedModel(['Hello.'])
    const asked: string[] = []
    const agent = new Agent({
      model,
      storage: new InMemoryRunStore(),
      processors: [
        {
          id: 'first',
          processInputStep: ({ systemMessages, messages }) => {
            asked.push('first')
            return {
              messages: messages.slice(-1),
              systemMessages: [...systemMessages, { role: 'system', content: 'Careful.' }],
              modelSettings: { temperature: 0.5 },
            }
          },
        },
        {
          id: 'asker',
          processInputStep: ({ messages, messageList, resumeData, suspend }) => {
            asked.push('asker')
            if (resumeData === undefined) suspend()
            // Still live objects, with real dates.
            expect(messages[0]).toBe(messageList.last)
            expect(messages[0]?.createdAt).toBeInstanceOf(Date)
          },
        },
        {
          id: 'last',
          processInputStep: () => {
            asked.push('last')
          },
        },
      ],
    })
    await agent.resume(
      idOf(await agent.generate(['One', 'Two'].map((content) => ({ role: 'user', content })))),
      'yes',
    )
    expect(asked).toEqual(['first', 'asker', 'asker', 'last'])
    expect(model.lastPrompt).toEqual([
      { role: 'system', content: 'Careful.' },
      { role: 'user', content: [{ type: 'text', text: 'Two' }] },
    ])
    expect(model.lastCall.temperature).toBe(0.5)
  })

  test('an input that a processor made null stays null', async () => {
    const inputs: unknown[] = []
    const agent = new Agent({
      model: new ScriptedModel([toolCall('look', { path: '/etc' }), 'Done.']),
      storage: new InMemoryRunStore(),
      tools: {
        look: tool({
          inputSchema: z.unknown(),
          execute: (input) => {
            inputs.push(input)
            return 'seen'
          },
        }),
      },
      processors: [
        { id: 'clean', processToolCall: () => ({ input: null }) },
        {
          id: 'asker',
          processToolCall: ({ toolCall, resumeData, suspend }) => {
            inputs.push(toolCall.input)
            if (resumeData === undefined) suspend()
          },
        },
      ],
    })
    await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(inputs).toEqual([null, null, null])
  })

  test('a message that processOutputStep added has a real date', async () => {
    const agent = new Agent({
      model: new ScriptedModel(['One.', 'Two.']),
      storage: new InMemoryRunStore(),
      processors: [
        {
          id: 'more',
          processOutputStep: ({ stepNumber }) => (stepNumber === 0 ? { continue: 'Go on.' } : undefined),
        },
        {
          id: 'asker',
          processOutputStep: ({ stepNumber, resumeData, suspend }) =>
            stepNumber === 0 && resumeData === undefined ? suspend() : undefined,
        },
      ],
    })
    const result = await agent.resume(idOf(await agent.generate('Hi')), 'yes')
    expect(result.messages.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant'])
    for (const { createdAt } of result.messages) expect(createdAt).toBeInstanceOf(Date)
  })

  test('tools that a processor put into the step are not replaced by the agent’s: it cannot be suspended then', async () => {
    const executed: string[] = []
    const named = (name: string) =>
      tool({
        inputSchema: anything,
        execute: () => {
          executed.push(name)
          return name
        },
      })
    const agent = new Agent({
      model: new ScriptedModel([toolCall('erase')]),
      storage: new InMemoryRunStore(),
      tools: { erase: named('real') },
      processors: [
        { id: 'sandbox', processInputStep: () => ({ tools: { erase: named('sandboxed') } }) },
        { id: 'asker', processToolCall: ({ suspend }) => suspend() },
      ],
    })
    const error = await agent.generate('Hi').catch((error) => error)
    expect(error).toMatchObject({ code: 'RUN_STATE_NOT_JSON' })
    expect(error.message).toContain("'sandbox'")
    expect(executed).toEqual([])
  })

  test.each(['model', 'tools', 'structuredOutput'] as const)(
    'a step with another %s cannot be suspended before its model call',
    async (field) => {
      const value = {
        model: new ScriptedModel([]),
        tools: { look: tool({ inputSchema: anything, execute: () => 1 }) },
        structuredOutput: { schema: z.object({}) },
      }[field]
      const agent = new Agent({
        model: new ScriptedModel([]),
        processors: [
          { id: 'changer', processInputStep: () => ({ [field]: value }) },
          { id: 'asker', wrapModelCall: ({ suspend }) => suspend() },
        ],
      })
      const error = await agent.generate('Hi').catch((error) => error)
      expect(error).toMatchObject({ code: 'RUN_STATE_NOT_JSON' })
      expect(error.message).toContain("'changer'")
    },
  )

  test('the schema a processor asked for is not forgotten: it cannot be suspended then', async () => {
    const agent = new Agent({
      model: new ScriptedModel(['{}']),
      processors: [
        { id: 'changer', processInputStep: () => ({ structuredOutput: { schema: z.object({}) } }) },
        { id: 'asker', processOutputResult: ({ suspend }) => suspend() },
      ],
    })
    await expect(agent.generate('Hi')).rejects.toMatchObject({ code: 'RUN_STATE_NOT_JSON' })
  })

  test('an agent with other processors around it: those of the call are given again', async () => {
    const storage = new InMemoryRunStore()
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), storage })
    const id = idOf(await agent.generate('Hi', { processors: [asker()] }))
    await expect(agent.resume(id, 'yes')).rejects.toMatchObject({ code: 'RUN_INCOMPATIBLE' })
    expect(await agent.resume(id, 'yes', { processors: [asker()] })).toHaveText('Hello.')
  })
})

describe('the stream of a resumed run', () => {
  const tools = { look: tool({ inputSchema: anything, execute: () => 'seen' }) }
  const askAt = (
    hook: 'processOutputStep' | 'processToolCall' | 'processToolResult' | 'processToolResults',
  ) => {
    const suspendOnce = ({ state, suspend }: { state: Record<string, unknown>; suspend: () => never }) => {
      if (state.asked) return
      state.asked = true
      suspend()
    }
    return { id: 'asker', [hook]: suspendOnce } as Processor
  }

  test.each(['processOutputStep', 'processToolCall', 'processToolResult', 'processToolResults'] as const)(
    "repeats nothing and leaves nothing out, with emit 'live' and 'step': %s",
    async (hook) => {
      for (const emit of ['live', 'step'] as const) {
        const options = {
          emit,
          storage: new InMemoryRunStore(),
          tools,
        }
        const script = [['Let me look. ', toolCall('look')], 'It is there.']
        const plain = await collect(
          new Agent({ ...options, model: new ScriptedModel(script) }).stream('Hi').fullStream,
        )
        const agent = new Agent({ ...options, model: new ScriptedModel(script), processors: [askAt(hook)] })
        const stream = agent.stream('Hi')
        const first = await collect(stream.fullStream)
        const resumed = agent.resume(idOf(await stream.result), 'yes')
        const second = await collect(resumed.fullStream)
        const inner = [...first.slice(1, -1), ...second.slice(1)]
        expect(inner.map(({ type }) => type)).toEqual(plain.slice(1).map(({ type }) => type))
        expect(textOf(inner)).toBe(textOf(plain))
        if (emit === 'step' && hook === 'processOutputStep') expect(textOf(first)).toBe('')
      }
    },
  )

  test.each(['live', 'step'] as const)(
    "ends once where the answer was complete when the run was suspended: '%s'",
    async (emit) => {
      const seen: string[] = []
      const agent = new Agent({
        emit,
        storage: new InMemoryRunStore(),
        model: new ScriptedModel(['Hello.']),
        processors: [
          {
            id: 'counter',
            processOutputStream: ({ part }) => {
              seen.push(part.type)
              return part
            },
          },
          {
            id: 'asker',
            processOutputResult: ({ resumeData, suspend }) =>
              resumeData === undefined ? suspend() : undefined,
          },
        ],
      })
      const stream = agent.stream('Hi')
      const first = await collect(stream.fullStream)
      const resumed = agent.resume(idOf(await stream.result), 'yes')
      const second = await collect(resumed.fullStream)
      expect(await resumed).toHaveText('Hello.')
      const types = [...first, ...second].map(({ type }) => type)
      expect(types.filter((type) => type === 'step-finish')).toHaveLength(1)
      expect(types.filter((type) => type === 'finish')).toHaveLength(1)
      expect(textOf([...first, ...second])).toBe('Hello.')
      if (emit === 'step') expect(first).toHaveChunkTypes(['start', 'suspended'])
      expect(seen.filter((type) => type === 'step-finish')).toHaveLength(1)
      expect(seen.filter((type) => type === 'finish')).toHaveLength(1)
    },
  )

  test.each(['live', 'step'] as const)(
    'begins its step once, where it waited before the call: %s',
    async (emit) => {
      const agent = new Agent({
        emit,
        storage: new InMemoryRunStore(),
        model: new ScriptedModel(['Hello.']),
        processors: [
          {
            id: 'asker',
            wrapModelCall: ({ request, next, resumeData, suspend }) =>
              resumeData === undefined ? suspend() : next(request),
          },
        ],
      })
      const stream = agent.stream('Hi')
      const first = await collect(stream.fullStream)
      const second = await collect(agent.resume(idOf(await stream.result), 'yes').fullStream)
      const types = [...first, ...second].map(({ type }) => type)
      expect(types.filter((type) => type === 'step-start')).toHaveLength(1)
    },
  )

  test('starts with the id of the message that goes on', async () => {
    const agent = new Agent({
      storage: new InMemoryRunStore(),
      model: new ScriptedModel([toolCall('look'), 'Done.']),
      tools,
      processors: [askAt('processToolCall')],
    })
    const stream = agent.stream('Hi')
    const [start] = await collect(stream.fullStream)
    const resumed = agent.resume(idOf(await stream.result), 'yes')
    const [again] = await collect(resumed.fullStream)
    const result = await resumed
    expect(again).toMatchObject({ type: 'start', runId: result.runId })
    expect((again as { messageId: string }).messageId).toBe((start as { messageId: string }).messageId)
    expect(result.messages.map(({ id }) => id)).toEqual([(start as { messageId: string }).messageId])
  })
})

test('a processor that catches what suspend throws has suspended nevertheless', async () => {
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

test('suspending twice in one call is suspending once, with the last word', async () => {
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

function circle(): object {
  const value: Record<string, unknown> = {}
  value.self = value
  return value
}

/** A store that answers a turn of the event loop later, as a real one does. */
function slow(store: InMemoryRunStore): RunStore {
  return {
    saveRun: async (run: StoredRun) => {
      await turn()
      return store.saveRun(run)
    },
    getRun: async (id) => {
      await turn()
      return store.getRun(id)
    },
    claimRun: async (id, as) => {
      await turn()
      return store.claimRun(id, as)
    },
    listRuns: (filter) => store.listRuns(filter),
  }
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
