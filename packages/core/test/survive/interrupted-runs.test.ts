import {
  Agent,
  type AgentOptions,
  type Processor,
  type RunStore,
  Suspend,
  type Tool,
  tool,
} from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { collect, MortalStore, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'

expect.extend(matchers)

// A process that dies is one whose store never answers again. Its lease expires with the clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const LEASE = 30_000

const anything = z.object({}).loose()

interface Setup {
  storage: RunStore
  /** Calls of `pay`, by key. */
  paid: string[]
  onInterrupted?: Tool['onInterrupted']
  /** Called while `pay` executes. */
  whilePaying?: () => unknown
  options?: Partial<AgentOptions>
}

/** An agent that pays once it may, and says so. */
function payingAgent(
  { storage, paid, onInterrupted, whilePaying, options }: Setup,
  script: unknown[],
): Agent {
  const pay: Tool = {
    inputSchema: anything,
    needsApproval: true,
    onInterrupted,
    execute: async (_input, { idempotencyKey }) => {
      paid.push(idempotencyKey)
      await whilePaying?.()
      return 'receipt'
    },
  }
  return new Agent({ model: new ScriptedModel(script as never[]), storage, tools: { pay }, ...options })
}

/** A run that was approved, and whose process died while it paid. */
async function dieWhilePaying(setup: Partial<Setup> = {}) {
  const store = new InMemoryRunStore()
  const paid: string[] = []
  const given = { ...setup, paid }
  const asking = payingAgent({ ...given, storage: store }, [toolCall('pay', { amount: 20 }, { id: 'call' })])
  const waiting = await asking.generate('Pay', { threadId: 'thread' })
  const mortal = new MortalStore(store)
  const dying = payingAgent({ ...given, storage: mortal.storage, whilePaying: () => mortal.kill() }, [])
  dying.resume(waiting.runId, { approved: true }).catch(() => {})
  await mortal.died
  return { store, paid, runId: waiting.runId, given }
}

describe('an approved call whose process dies between its start and its end', () => {
  test('cannot be claimed while the lease lasts, and is then listed as interrupted', async () => {
    const { store, runId, given } = await dieWhilePaying()
    const agent = payingAgent({ ...given, storage: store }, [])
    expect(await agent.suspendedRuns()).toEqual([])
    await expect(agent.resume(runId)).rejects.toMatchObject({
      code: 'RUN_ALREADY_RESUMED',
      message: expect.stringContaining('can be resumed after its lease has expired'),
    })
    vi.advanceTimersByTime(LEASE)
    expect(await agent.suspendedRuns({ threadId: 'thread' })).toMatchObject([
      {
        runId,
        interrupted: {
          attempts: 1,
          calls: [{ toolCallId: 'call', toolName: 'pay', input: { amount: 20 }, state: 'started' }],
        },
      },
    ])
  })

  test.each([
    ['was paid', { output: 'receipt 7' }, { state: 'output-available', output: 'receipt 7' }, 1],
    ['was not paid', { error: 'Declined.' }, { state: 'output-error', errorText: 'Declined.' }, 1],
    ['is to be tried again', { call: { retry: true } }, { state: 'output-available', output: 'receipt' }, 2],
  ])('is asked about, and answered once: %s', async (_, answer, part, times) => {
    const { store, runId, paid, given } = await dieWhilePaying()
    vi.advanceTimersByTime(LEASE)
    const agent = payingAgent({ ...given, storage: store }, ['Done.'])
    const asked = await agent.resume(runId, { approved: true })
    expect(asked).toHaveStatus('suspended')
    expect(asked.suspension?.payload).toEqual({
      type: 'tool-interrupted',
      toolCalls: [{ toolCallId: 'call', toolName: 'pay', input: { amount: 20 } }],
    })
    expect(await agent.suspendedRuns()).toMatchObject([{ runId: asked.runId, threadId: 'thread' }])
    for (const wrong of [
      undefined,
      { approved: true },
      { retry: true, output: 1 },
      { other: { retry: true } },
    ]) {
      await expect(agent.resume(asked.runId, wrong)).rejects.toMatchObject({
        code: 'RUN_RESUME_INVALID',
        message: expect.stringContaining("'call'"),
      })
    }
    const done = await agent.resume(asked.runId, answer)
    expect(done).toHaveText('Done.')
    expect(done.messages.flatMap(({ content }) => content.parts)).toContainEqual(
      expect.objectContaining({ toolCallId: 'call', ...part }),
    )
    expect(done.messages).toPairEveryToolCall()
    expect(paid).toHaveLength(times)
    // Whatever the attempt, the service that is paid knows it for the same.
    expect(new Set(paid)).toEqual(new Set([`${runId}:call`]))
    expect(await agent.suspendedRuns()).toEqual([])
    await expect(agent.resume(runId)).rejects.toMatchObject({ code: 'RUN_ALREADY_RESUMED' })
  })

  test.each([
    ['fail', { status: 'error', error: expect.stringContaining('may or may not have been executed') }, 1],
    ['retry', { status: 'success', output: 'receipt' }, 2],
  ] as const)('is not asked about where its tool says %s', async (onInterrupted, result, times) => {
    const { store, runId, paid, given } = await dieWhilePaying({ onInterrupted })
    vi.advanceTimersByTime(LEASE)
    const agent = payingAgent({ ...given, storage: store }, ['Done.'])
    const attempts: number[] = []
    agent.on('run-start', ({ attempt }) => attempts.push(attempt))
    const done = await agent.resume(runId)
    await agent.close()
    expect(attempts).toEqual([2])
    expect(done).toHaveText('Done.')
    expect(done.steps[0]?.toolResults).toMatchObject([{ toolCallId: 'call', ...result }])
    expect(paid).toHaveLength(times)
  })

  test('continues with the answer of its first resume, and with no other', async () => {
    const { store, runId, given } = await dieWhilePaying({ onInterrupted: 'retry' })
    vi.advanceTimersByTime(LEASE)
    const agent = payingAgent({ ...given, storage: store }, ['Done.'])
    await expect(agent.resume(runId, { approved: false })).rejects.toMatchObject({
      code: 'RUN_RESUME_INVALID',
      message: expect.stringContaining('Resume it without data'),
    })
    expect(await agent.resume(runId)).toHaveText('Done.')
  })

  test('can be released', async () => {
    const { store, runId, given } = await dieWhilePaying()
    const agent = payingAgent({ ...given, storage: store }, [])
    expect(await agent.release(runId)).toBe(false)
    vi.advanceTimersByTime(LEASE)
    expect(await agent.release(runId)).toBe(true)
    expect(await agent.suspendedRuns()).toEqual([])
    await expect(agent.resume(runId)).rejects.toMatchObject({ code: 'RUN_RELEASED' })
  })

  test('belongs to its resource alone', async () => {
    const { store, given } = await dieWhilePaying()
    const agent = payingAgent({ ...given, storage: store }, [toolCall('pay', {})])
    const owner = { resourceId: 'ada' }
    const { runId } = await agent.generate('Pay', owner)
    await store.claimRun(runId, { leaseMs: 1, owner })
    vi.advanceTimersByTime(LEASE)
    expect(await agent.suspendedRuns({ resourceId: 'bob' })).toEqual([])
    await expect(agent.resume(runId)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    expect(await agent.release(runId)).toBe(false)
    expect(await agent.release(runId, owner)).toBe(true)
  })
})

describe('of several calls of a step', () => {
  test('finished ones are replayed, those not started are executed, and one is asked about', async () => {
    const store = new InMemoryRunStore()
    const executed: string[] = []
    const build = (storage: RunStore, wait: () => unknown, script: unknown[] = []) =>
      new Agent({
        model: new ScriptedModel(script as never[]),
        storage,
        toolConcurrency: 2,
        toolApproval: { one: 'user-approval' },
        tools: Object.fromEntries(
          ['one', 'two', 'three', 'four'].map((name) => [
            name,
            tool({
              inputSchema: anything,
              execute: async () => {
                executed.push(name)
                if (name === 'two') await wait()
                if (name === 'one') throw new Error('No such account.')
                return `${name} done`
              },
            }),
          ]),
        ),
      })
    const calls = ['one', 'two', 'three', 'four'].map((name) => toolCall(name, {}, { id: name }))
    const { runId } = await build(store, () => {}, [calls]).generate('Go')
    const mortal = new MortalStore(store)
    const dying = build(mortal.storage, async () => {
      // The others have ended or started by then.
      while (!executed.includes('three')) await new Promise((resolve) => setImmediate(resolve))
      return mortal.kill()
    })
    dying.resume(runId, { approved: true }).catch(() => {})
    await mortal.died
    const before = [...executed]
    vi.advanceTimersByTime(LEASE)
    const [listed] = await store.listRuns({})
    const known = Object.fromEntries(
      listed?.interrupted?.calls.map((call) => [call.toolCallId, call.state]) ?? [],
    )
    expect(known).toMatchObject({ one: 'finished', two: 'started' })
    const agent = build(store, () => {}, ['Done.'])
    let result = await agent.resume(runId)
    expect(result).toHaveStatus('suspended')
    const asked = toolCallsOf(result.suspension?.payload)
    const started = Object.entries(known).flatMap(([id, state]) => (state === 'started' ? [id] : []))
    expect(asked.map(({ toolCallId }) => toolCallId)).toEqual(started)
    result = await agent.resume(
      result.runId,
      Object.fromEntries(started.map((id) => [id, { output: 'found' }])),
    )
    expect(result).toHaveText('Done.')
    expect(result.steps[0]?.toolResults).toMatchObject([
      { toolName: 'one', status: 'error', error: 'No such account.' },
      { toolName: 'two', status: 'success', output: 'found' },
      { toolName: 'three' },
      { toolName: 'four' },
    ])
    // Nothing twice.
    expect([...new Set(executed)]).toEqual(executed)
    expect(executed).toHaveLength(4)
    expect(before).not.toContain(undefined)
  })

  test('an output is stored and replayed after the processors, with their state', async () => {
    const store = new InMemoryRunStore()
    const seen: unknown[] = []
    const redacts: Processor = {
      id: 'redacts',
      processToolResult({ output, state }) {
        state.seen = Number(state.seen ?? 0) + 1
        return { output: String(output).replace('raw', 'clean') }
      },
      processOutputResult({ state }) {
        seen.push(state.seen)
      },
    }
    const build = (storage: RunStore, wait: () => unknown, script: unknown[] = []) =>
      new Agent({
        model: new ScriptedModel(script as never[]),
        storage,
        processors: [redacts],
        toolApproval: { look: 'user-approval' },
        tools: {
          look: tool({ inputSchema: anything, execute: () => 'raw' }),
          wait: tool({ inputSchema: anything, execute: wait }),
        },
      })
    const calls = [toolCall('look', {}, { id: 'look' }), toolCall('wait', {}, { id: 'wait' })]
    const { runId } = await build(store, () => {}, [calls]).generate('Go')
    const mortal = new MortalStore(store)
    const isKept = async () => mortal.changes.length > 2
    const dying = build(mortal.storage, async () => {
      while (!(await isKept())) await new Promise((resolve) => setImmediate(resolve))
      return mortal.kill()
    })
    dying.resume(runId, { approved: true }).catch(() => {})
    await mortal.died
    vi.advanceTimersByTime(LEASE)
    expect(JSON.stringify(await store.getRun(runId))).not.toContain('raw')
    const asked = await build(store, () => {}, ['Done.']).resume(runId)
    const done = await build(store, () => {}, ['Done.']).resume(asked.runId, { output: 'waited' })
    expect(done.steps[0]?.toolResults).toMatchObject([{ output: 'clean' }, { output: 'waited' }])
    expect(seen).toEqual([2])
  })
})

function toolCallsOf(payload: unknown): { toolCallId: string }[] {
  return (payload as { toolCalls: { toolCallId: string }[] }).toolCalls
}

test('a tool that had suspended, and died when it was resumed, asks again: what a person wrote is not stored', async () => {
  const store = new InMemoryRunStore()
  const got: unknown[] = []
  const build = (storage: RunStore, wait: () => unknown, script: unknown[] = []) =>
    new Agent({
      model: new ScriptedModel(script as never[]),
      storage,
      tools: {
        ask: tool({
          inputSchema: anything,
          execute: async (_, { resumeData, suspendPayload }) => {
            if (resumeData === undefined) throw new Suspend({ question: 'Which?' })
            got.push([resumeData, suspendPayload])
            await wait()
            return 'asked'
          },
        }),
      },
    })
  const { runId } = await build(store, () => {}, [toolCall('ask', {}, { id: 'ask' })]).generate('Go')
  const mortal = new MortalStore(store)
  build(mortal.storage, () => mortal.kill())
    .resume(runId, 'this')
    .catch(() => {})
  await mortal.died
  vi.advanceTimersByTime(LEASE)
  const asked = await build(store, () => {}).resume(runId)
  expect(asked.suspension?.payload).toMatchObject({ type: 'tool-interrupted' })
  const again = await build(store, () => {}).resume(asked.runId, { retry: true })
  expect(again.suspension?.payload).toEqual({ question: 'Which?' })
  const done = await build(store, () => {}, ['Done.']).resume(again.runId, 'this')
  expect(done).toHaveText('Done.')
  expect(got).toEqual(Array(2).fill(['this', { question: 'Which?' }]))
})

describe('an attempt that still runs although its lease has expired', () => {
  test('starts no call, and ends without a result, once another has claimed the run', async () => {
    const store = new InMemoryRunStore()
    const paid: string[] = []
    const asking = payingAgent({ storage: store, paid }, [toolCall('pay', {}, { id: 'call' })])
    const { runId } = await asking.generate('Pay')
    let wake = (): void => {}
    const woken = new Promise<void>((resolve) => {
      wake = resolve
    })
    let isAsleep = false
    const slowStore = new Proxy(store, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (name !== 'updateRun') return typeof value === 'function' ? value.bind(target) : value
        return async (...values: Parameters<RunStore['updateRun']>) => {
          isAsleep = true
          await woken
          return target.updateRun(...values)
        }
      },
    })
    const slow = payingAgent({ storage: slowStore, paid }, []).resume(runId, { approved: true })
    const outcome = slow.result
    while (!isAsleep) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(LEASE)
    expect(await payingAgent({ storage: store, paid }, ['Done.']).resume(runId)).toHaveText('Done.')
    wake()
    expect(await outcome).toMatchObject({ status: 'aborted', abortReason: { code: 'RUN_LEASE_LOST' } })
    expect(paid).toHaveLength(1)
    expect(await store.getRun(runId)).toEqual({ state: 'done' })
  })
})

describe('a resumed run that fails', () => {
  test('can be resumed at once, and executes nothing twice', async () => {
    const store = new InMemoryRunStore()
    const paid: string[] = []
    const asking = payingAgent({ storage: store, paid }, [toolCall('pay', {}, { id: 'call' })])
    const { runId } = await asking.generate('Pay')
    const model = new ScriptedModel(() => {
      throw new Error('The provider is down.')
    })
    const failing = payingAgent({ storage: store, paid, options: { model } }, [])
    await expect(failing.resume(runId, { approved: true })).rejects.toMatchObject({
      code: 'MODEL_CALL_FAILED',
    })
    expect(await failing.suspendedRuns()).toMatchObject([
      { runId, interrupted: { calls: [{ toolCallId: 'call', state: 'finished' }] } },
    ])
    expect(await payingAgent({ storage: store, paid }, ['Paid.']).resume(runId)).toHaveText('Paid.')
    expect(paid).toHaveLength(1)
  })

  test('and one that is stopped after it has called a tool', async () => {
    const store = new InMemoryRunStore()
    const paid: string[] = []
    const asking = payingAgent({ storage: store, paid }, [toolCall('pay', {}, { id: 'call' })])
    const { runId } = await asking.generate('Pay')
    const controller = new AbortController()
    const model = new ScriptedModel(() => {
      controller.abort()
      return 'Too late.'
    })
    const stopped = payingAgent({ storage: store, paid, options: { model } }, [])
    expect(await stopped.resume(runId, { approved: true }, { abortSignal: controller.signal })).toHaveStatus(
      'aborted',
    )
    await expect.poll(() => stopped.suspendedRuns()).toHaveLength(1)
    expect(await payingAgent({ storage: store, paid }, ['Paid.']).resume(runId)).toHaveText('Paid.')
    expect(paid).toHaveLength(1)
  })

  test.each(['saveRun', 'claimRun', 'updateRun', 'endRun'] as const)(
    'because its store fails in %s, loses no call and executes nothing twice',
    async (method) => {
      const store = new InMemoryRunStore()
      const paid: string[] = []
      const { runId } = await payingAgent({ storage: store, paid }, [
        toolCall('pay', {}, { id: 'call' }),
      ]).generate('Pay')
      const failing = new Proxy(store, {
        get(target, name) {
          const value = Reflect.get(target, name)
          if (name !== method) return typeof value === 'function' ? value.bind(target) : value
          return async () => {
            throw new Error('Disk I/O error.')
          }
        },
      })
      await payingAgent({ storage: failing, paid }, ['Paid.'])
        .resume(runId, { approved: true })
        .catch(() => {})
      vi.advanceTimersByTime(LEASE)
      const agent = payingAgent({ storage: store, paid }, ['Paid.'])
      const [open] = await agent.suspendedRuns()
      if (open) expect(await agent.resume(runId, { approved: true })).toHaveText('Paid.')
      expect(paid).toHaveLength(1)
      expect(await agent.suspendedRuns()).toEqual([])
    },
  )
})

test('a lease is renewed while a run works, and not while it is released', async () => {
  const store = new InMemoryRunStore()
  const paid: string[] = []
  const late: string[] = []
  const turn = () => new Promise((resolve) => setTimeout(resolve, 10))
  const slow = new Proxy<RunStore>(store, {
    get(target, name) {
      const method = target[name as keyof RunStore] as (...values: never[]) => Promise<unknown>
      if (typeof method !== 'function') return method
      return async (...values: never[]) => {
        if (name === 'updateRun') late.push(name)
        const result = await method.apply(target, values)
        // The lease is a few milliseconds, and a renewal would come meanwhile.
        if (name === 'saveRun' || name === 'endRun') {
          late.length = 0
          await turn()
        }
        return result
      }
    },
  })
  const calls = ['a', 'b'].map((id) => toolCall('pay', {}, { id }))
  const options = { runLease: 3 }
  const agent = payingAgent({ storage: slow, paid, options, whilePaying: turn }, [
    calls,
    [toolCall('pay', {}, { id: 'c' })],
    'Paid.',
  ])
  const first = await agent.generate('Pay')
  const second = await agent.resume(first.runId, { approved: true, all: true })
  expect(second).toHaveStatus('suspended')
  expect(late).toEqual([])
  expect(await agent.resume(second.runId, { approved: true })).toHaveText('Paid.')
  expect(late).toEqual([])
  expect(paid).toEqual(['a', 'b', 'c'].map((id) => `${first.runId}:${id}`))
})

describe('a run that is stopped during a write of its store', () => {
  /** A store in which one method comes back when it is told to. */
  function waiting(store: RunStore, method: keyof RunStore) {
    let release = (): void => {}
    let isAsked = false
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const storage = new Proxy(store, {
      get(target, name) {
        const value = target[name as keyof RunStore] as (...values: never[]) => Promise<unknown>
        if (name !== method) return typeof value === 'function' ? value.bind(target) : value
        return async (...values: never[]) => {
          const result = await value.apply(target, values)
          isAsked = true
          await released
          return result
        }
      },
    })
    const asked = async (): Promise<void> => {
      while (!isAsked) await new Promise((resolve) => setImmediate(resolve))
    }
    return { storage, release, asked }
  }

  test('that claims it can be resumed at once', async () => {
    const store = new InMemoryRunStore()
    const paid: string[] = []
    const { runId } = await payingAgent({ storage: store, paid }, [
      toolCall('pay', {}, { id: 'call' }),
    ]).generate('Pay')
    const { storage, release, asked } = waiting(store, 'claimRun')
    const controller = new AbortController()
    const resumed = payingAgent({ storage, paid }, []).resume(
      runId,
      { approved: true },
      { abortSignal: controller.signal },
    )
    const { result } = resumed
    await asked()
    controller.abort()
    expect(await result).toHaveStatus('aborted')
    release()
    const agent = payingAgent({ storage: store, paid }, ['Paid.'])
    await expect.poll(() => agent.suspendedRuns()).toHaveLength(1)
    expect(await agent.resume(runId)).toHaveText('Paid.')
    expect(paid).toHaveLength(1)
  })

  test('that stores its first step is done', async () => {
    const store = new InMemoryRunStore()
    const { storage, release, asked } = waiting(store, 'saveRun')
    const controller = new AbortController()
    const agent = new Agent({ model: new ScriptedModel(['Hello.']), storage, checkpoint: 'step' })
    const stream = agent.stream('Hi', { abortSignal: controller.signal })
    const { result } = stream
    await asked()
    controller.abort()
    const { runId } = await result
    release()
    await expect.poll(() => store.getRun(runId)).toEqual({ state: 'done' })
  })
})

describe("with checkpoint: 'step'", () => {
  const look = tool({ inputSchema: anything, execute: () => 'seen' })
  const turns = [toolCall('look', {}, { id: 'a' }), toolCall('look', {}, { id: 'b' }), 'Seen twice.']

  test('a run that dies between two steps is resumed from the last, and the reader drops what was emitted of the next', async () => {
    const store = new InMemoryRunStore()
    const mortal = new MortalStore(store)
    let calls = 0
    const model = (storage: RunStore, script: (index: number) => unknown) =>
      new Agent({
        model: new ScriptedModel((_, index) => script(index) as string),
        storage,
        tools: { look },
        checkpoint: 'step',
      })
    const dying = model(mortal.storage, (index) => {
      calls++
      return index === 2 ? mortal.kill() : turns[index]
    })
    dying.generate('Look', { threadId: 'thread' }).catch(() => {})
    await mortal.died
    expect(await store.listRuns({})).toEqual([])
    vi.advanceTimersByTime(LEASE)
    const [run] = await store.listRuns({ threadId: 'thread' })
    expect(run).toMatchObject({ payload: null, interrupted: { attempts: 1, calls: [] } })
    const stream = model(store, () => {
      calls++
      return 'Seen twice.'
    }).resume(run?.runId ?? '')
    const chunks = await collect(stream.fullStream)
    expect(chunks.slice(0, 2).map(({ type }) => type)).toEqual(['start', 'step-discarded'])
    const result = await stream.result
    expect(result).toHaveText('Seen twice.')
    expect(result.steps).toHaveLength(3)
    expect(result.messages).toPairEveryToolCall()
    // The two steps that were stored were not asked again.
    expect(calls).toBe(4)
    expect(await store.listRuns({})).toEqual([])
  })

  test('a run that suspends and is resumed keeps its id until then', async () => {
    const store = new InMemoryRunStore()
    const paid: string[] = []
    const options = { checkpoint: 'step' as const }
    const agent = payingAgent({ storage: store, paid, options }, [
      toolCall('pay', {}, { id: 'call' }),
      'Paid.',
    ])
    const waiting = await agent.generate('Pay')
    expect(await agent.suspendedRuns()).toMatchObject([{ runId: waiting.runId, toolCallId: 'call' }])
    expect((await agent.suspendedRuns())[0]?.interrupted).toBeUndefined()
    expect(await agent.resume(waiting.runId, { approved: true })).toHaveText('Paid.')
    expect(paid).toEqual([`${waiting.runId}:call`])
    expect(await agent.suspendedRuns()).toEqual([])
  })

  test('refuses options that cannot work', () => {
    const model = new ScriptedModel([])
    expect(() => new Agent({ model, checkpoint: 'always' as 'step' })).toThrow(/checkpoint is 'always'/)
    expect(() => new Agent({ model, runLease: 0 })).toThrow(/runLease is 0/)
    const odd = { inputSchema: anything, onInterrupted: 'again' as 'retry' }
    expect(() => new Agent({ model, tools: { odd } })).toThrow(/onInterrupted/)
  })
})

describe('writes to the store', () => {
  const look = tool({ inputSchema: anything, execute: () => 'seen' })
  const turns = () => [toolCall('look', {}, { id: 'a' }), toolCall('look', {}, { id: 'b' }), 'Seen twice.']
  const changesOf = async (options: Partial<AgentOptions>): Promise<string[]> => {
    const counting = new MortalStore(new InMemoryRunStore())
    const agent = new Agent({
      model: new ScriptedModel(turns()),
      storage: counting.storage,
      tools: { look },
      ...options,
    })
    expect(await agent.generate('Look')).toHaveText('Seen twice.')
    return counting.changes
  }

  test('of a run that never suspends: nothing', async () => {
    expect(await changesOf({})).toEqual([])
    expect(await changesOf({ checkpoint: 'suspend' })).toEqual([])
  })

  test("with checkpoint: 'step': one a step, in addition to the start and the end of its calls, and one at the end", async () => {
    const changes = await changesOf({ checkpoint: 'step' })
    const ofCalls = 2 * 2
    expect(changes).toEqual(['saveRun', ...Array(ofCalls + 2).fill('updateRun'), 'endRun'])
  })

  test('of calls that start and end together: one start and one end', async () => {
    const counting = new MortalStore(new InMemoryRunStore())
    const paid: string[] = []
    const calls = ['a', 'b', 'c'].map((id) => toolCall('pay', {}, { id }))
    const agent = payingAgent({ storage: counting.storage, paid }, [calls, 'Paid.'])
    const waiting = await agent.generate('Pay')
    expect(await agent.resume(waiting.runId, { approved: true, all: true })).toHaveText('Paid.')
    expect(counting.changes).toEqual(['saveRun', 'claimRun', 'updateRun', 'updateRun', 'endRun'])
  })
})
