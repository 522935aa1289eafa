import { Agent, type AgentOptions, type CounterStore, tool } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { JudgeGuard } from '@millrace/guards/judge'
import { ModerationProcessor, modelModeration } from '@millrace/guards/moderation'
import {
  cut,
  fail,
  file,
  finish,
  gate,
  hang,
  refuse,
  ScriptedModel,
  text,
  tokens,
  toolCall,
} from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import {
  CostGuard,
  type CostGuardEvent,
  type CostGuardOptions,
  type CostGuardWarningEvent,
} from './cost-guard.ts'
import type { CostLimit } from './cost-limit.ts'
import { requestTokens } from './request-tokens.ts'

expect.extend(matchers)

const HOUR = 3_600_000
/** Input: 1 for ten tokens; output: 2 for five. */
const prices = { 'scripted-model': { input: 100_000, output: 400_000 } }
const exact = { inputTokens: () => 10, maxOutputTokens: 5, minOutputTokens: 5, prices }
const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }

afterEach(() => {
  vi.useRealTimers()
})

function guarded(
  limits: CostLimit[],
  script: unknown = () => 'Hello',
  options: Partial<CostGuardOptions> = {},
) {
  const spent: CostGuardEvent[] = []
  const model = new ScriptedModel(script as never)
  const guard = new CostGuard({ limits, ...exact, onSpend: (event) => spent.push(event), ...options })
  return { agent: agentWith(model, guard), model, spent }
}

function agentWith(model: ScriptedModel, guard: CostGuard, options: Partial<AgentOptions> = {}): Agent {
  return new Agent({ model, tools, processors: [guard], ...options })
}

const money = (spent: readonly CostGuardEvent[]) => spent.reduce((sum, event) => sum + (event.money ?? 0), 0)

test("counts in the agent's storage if it is persistent: guards that share it share the limit", async () => {
  const capabilities = { search: true, vectors: true, blobs: true, persistent: true }
  const storage = Object.assign(new InMemoryStore(), { capabilities })
  const guard = () => new CostGuard({ limits: [{ calls: 1 }], ...exact })
  const model = new ScriptedModel(() => 'Hello')
  expect(await agentWith(model, guard(), { storage }).generate('Hi')).toBeCompleted()
  expect(await agentWith(model, guard(), { storage }).generate('Hi')).toHaveStatus('tripwire')
  expect(await agentWith(model, guard()).generate('Hi')).toBeCompleted()
})

describe('a limit', () => {
  test.each<[CostLimit, string, number]>([
    [{ money: 6 }, 'The limit of 6 in money for this user is reached.', 2],
    [{ money: 8.9, windowMs: HOUR }, 'The limit of 8.9 in money for this user is reached.', 2],
    [{ tokens: 45, scope: 'all' }, 'The limit of 45 tokens for all users is reached.', 3],
    [{ calls: 4, scope: 'thread' }, 'The limit of 4 calls for this thread is reached.', 4],
  ])('of %o is enforced', async (limit, reason, passes) => {
    const { agent, model, spent } = guarded([limit])
    const ids = { resourceId: 'r', threadId: 't' }
    for (let index = 0; index < passes; index++) expect(await agent.generate('Hi', ids)).toBeCompleted()
    expect(await agent.generate('Hi', ids)).toHaveTripped({
      processorId: 'cost-guard',
      hook: 'wrapModelCall',
      reason,
    })
    expect(model.callCount).toBe(passes)
    expect(spent).toHaveLength(passes)
  })

  test('per run counts its steps, and starts at zero for every run', async () => {
    const { agent, model } = guarded([{ scope: 'run', money: 6 }], () => toolCall('look'))
    for (let index = 1; index <= 3; index++) {
      expect(await agent.generate('Hi')).toHaveTripped({
        reason: 'The limit of 6 in money for a run is reached.',
      })
      expect(model.callCount).toBe(2 * index)
    }
  })

  test('per run continues to count after a suspension', async () => {
    const model = new ScriptedModel(() => toolCall('look'))
    const agent = agentWith(model, new CostGuard({ limits: [{ scope: 'run', calls: 2 }], ...exact }), {
      toolApproval: () => 'user-approval',
    } as never)
    const first = await agent.generate('Hi')
    const second = await first.suspension?.resume({ approved: true })
    expect(second?.status).toBe('suspended')
    expect(await second?.suspension?.resume({ approved: true })).toHaveTripped({ processorId: 'cost-guard' })
  })

  test('starts at zero with the next window', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { agent } = guarded([{ calls: 1, windowMs: HOUR }])
    expect(await agent.generate('Hi')).toBeCompleted()
    const denied = await agent.generate('Hi')
    const { retryAfterMs } = { retryAfterMs: 0, ...(denied.rejection?.metadata as object) }
    vi.setSystemTime(Date.now() + retryAfterMs)
    expect(await agent.generate('Hi')).toBeCompleted()
  })

  test('that denies a call charges no other limit', async () => {
    const store = new InMemoryStore()
    const limits: CostLimit[] = [
      { scope: 'all', calls: 4 },
      { scope: 'resource', money: 3 },
    ]
    const { agent, model } = guarded(limits, () => 'Hello', { store })
    for (let index = 0; index < 10; index++) await agent.generate('Hi', { resourceId: 'a' })
    for (const resourceId of ['b', 'c', 'd'])
      expect(await agent.generate('Hi', { resourceId })).toBeCompleted()
    expect(model.callCount).toBe(4)
  })

  test('shortens the answer to what is left', async () => {
    const limits = [{ tokens: 1_000 }]
    const { agent, model } = guarded(
      limits,
      () => ['Hi', finish({ usage: tokens({ input: 10, output: 390 }) })],
      {
        maxOutputTokens: 400,
        minOutputTokens: 50,
      },
    )
    for (let index = 0; index < 3; index++) await agent.generate('Hi')
    expect(model.calls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([400, 400, 190])
    await agent.generate('Hi', { modelSettings: { maxOutputTokens: 20 } })
    expect(model.callCount).toBe(3)
  })

  test('answers in the model’s place with halt, and only warns with warn', async () => {
    const halting = guarded([{ calls: 1 }], () => 'Hello', { strategy: 'halt', response: 'Enough.' })
    await halting.agent.generate('Hi')
    expect(await halting.agent.generate('Hi')).toMatchObject({ status: 'halted', text: 'Enough.' })
    const warnings: CostGuardWarningEvent[] = []
    const warning = guarded([{ money: 6 }], () => 'Hello', {
      strategy: 'warn',
      onWarning: (event) => warnings.push(event),
    })
    for (let index = 0; index < 4; index++) expect(await warning.agent.generate('Hi')).toBeCompleted()
    expect(warnings.map(({ used }) => used)).toEqual([6, 9, 12])
    expect(warning.model.lastCall.maxOutputTokens).toBeUndefined()
    expect(warnings[0]).toMatchObject({ unit: 'money', limit: 6, scope: 'resource' })
  })
})

describe('the use of a call', () => {
  test('is what the provider reports, including its cache', async () => {
    const usage = tokens({ input: 100, output: 5 })
    usage.inputTokens = { ...usage.inputTokens, noCache: 20, cacheRead: 50, cacheWrite: 30 }
    const { agent, spent } = guarded([{ money: 1_000_000 }], [['Hi', finish({ usage })]], {
      prices: { 'scripted/scripted-model': { input: 1, output: 8, cacheRead: 0.1, cacheWrite: 1.25 } },
    })
    await agent.generate('Hi')
    expect(spent[0]).toMatchObject({ inputTokens: 100, outputTokens: 5, isEstimated: false })
    expect(spent[0]?.money).toBe((20_000 + 5_000 + 37_500 + 40_000) / 1e9)
  })

  test.each([
    ['the call is refused', [refuse(new Error('no'))], 0],
    ['the answer breaks off', [['Hel', fail(new Error('no'))]], 1],
    ['the provider does not say', [['Hello', cut()]], 1],
  ])('is known if %s', async (_, script, calls) => {
    const store = new InMemoryStore()
    const { agent, spent } = guarded([{ calls: 100, tokens: 10_000 }], script, { store })
    await agent.generate('Hi', { modelSettings: { maxRetries: 0 } }).catch(() => {})
    expect(
      spent.map(({ isEstimated, inputTokens, outputTokens }) => ({ isEstimated, inputTokens, outputTokens })),
    ).toEqual(calls === 0 ? [] : [{ isEstimated: true, inputTokens: 10, outputTokens: expect.any(Number) }])
    expect(await counted(store, 'resource:calls')).toBe(calls)
    expect(await counted(store, 'resource:tokens')).toBe(calls === 0 ? 0 : 10 + (spent[0]?.outputTokens ?? 0))
  })

  test('is returned for an aborted run', async () => {
    const store = new InMemoryStore()
    const before = gate()
    const { agent } = guarded([{ money: 3 }], [[before, 'never'], 'Hello'], { store })
    const controller = new AbortController()
    const run = agent.generate('Hi', { abortSignal: controller.signal })
    await before.reached
    expect(await agent.generate('Hi')).toHaveStatus('tripwire')
    controller.abort()
    await run
    await agent.close()
    await expect.poll(() => counted(store, 'resource:money')).toBe(0)
    expect(await agent.generate('Hi')).toBeCompleted()
  })

  test('has an upper estimate, with tools, schema and files', async () => {
    const model = new ScriptedModel(() => ['{"a":1}', file('image/png', 'AAAA')], { modelId: 'gpt-5' })
    const inputs: number[] = []
    const guard = new CostGuard({
      limits: [{ calls: 9 }],
      inputTokens: async (request) => {
        inputs.push(await requestTokens(request))
        return 1
      },
    })
    const agent = agentWith(model, guard)
    await agent.generate('Hi')
    await agent.generate('Hi', { output: z.object({ a: z.number() }) })
    const bytes = 'A'.repeat(40_000)
    for (const mediaType of ['image/png', 'application/pdf', 'text/plain']) {
      const part = { type: 'file', mediaType, url: `data:${mediaType};base64,${bytes}` } as const
      await agent.generate([{ id: '1', role: 'user', content: { parts: [part] }, createdAt: new Date(0) }])
    }
    const [plain = 0, withSchema = 0, withImage = 0, withPDF = 0, withText = 0] = inputs
    expect(plain).toBeGreaterThan(10)
    expect(plain).toBeLessThan(200)
    expect(withSchema).toBeGreaterThan(plain)
    expect(withImage).toBeGreaterThan(1_600)
    expect(withImage).toBeLessThan(2_000)
    expect(withPDF).toBeGreaterThan(15_000)
    expect(withText).toBeGreaterThan(30_000)
  })

  test('requires a price if money is limited', async () => {
    const { agent, model } = guarded([{ money: 1 }], () => 'Hi', {
      prices: { other: { input: 1, output: 1 } },
    })
    await expect(agent.generate('Hi')).rejects.toMatchObject({
      code: 'PROCESSOR_FAILED',
      cause: { code: 'CONFIG_INVALID', message: expect.stringContaining("'scripted-model'") },
    })
    expect(model.callCount).toBe(0)
  })
})

describe('many concurrent runs', () => {
  test('of 200, exactly as many pass as there is money for', async () => {
    const store = new InMemoryStore()
    const all = Array.from({ length: 4 }, () =>
      guarded([{ money: 3 * 37 + 2, windowMs: HOUR }], () => 'Hello', { store }),
    )
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => all[index % 4]?.agent.generate('Hi', { resourceId: 'r' })),
    )
    expect(results.filter((result) => result?.status === 'completed')).toHaveLength(37)
    expect(all.reduce((sum, { spent }) => sum + money(spent), 0)).toBe(3 * 37)
    expect(await counted(store, 'resource:money', 'r', HOUR)).toBe(3 * 37 * 1e9)
  })

  test('never exceed the limit, and leave nothing reserved, whatever the answers use', {
    timeout: 120_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            output: fc.integer({ min: 0, max: 50 }),
            ends: fc.constantFrom('well', 'fails', 'refused'),
          }),
          {
            minLength: 20,
            maxLength: 60,
          },
        ),
        fc.integer({ min: 1, max: 40 }),
        async (calls, limit) => {
          const store = new InMemoryStore()
          const spent: CostGuardEvent[] = []
          const turns = calls.map(({ output, ends }) => {
            const usage = (most = 0) => tokens({ input: 10, output: Math.min(output, most) })
            if (ends === 'refused') return refuse(new Error('no'))
            return ({ maxOutputTokens }: { maxOutputTokens?: number }) => [
              'x',
              ends === 'fails' ? fail(new Error('no')) : finish({ usage: usage(maxOutputTokens) }),
            ]
          })
          const guard = new CostGuard({
            limits: [{ money: limit, tokens: 1_000, scope: 'all' }],
            prices,
            store,
            inputTokens: () => 10,
            maxOutputTokens: 50,
            minOutputTokens: 5,
            onSpend: (event) => spent.push(event),
          })
          const agent = agentWith(new ScriptedModel(turns as never), guard)
          const options = { modelSettings: { maxRetries: 0 } }
          await Promise.allSettled(calls.map(() => agent.generate('Hi', options)))
          const used = spent.reduce(
            (sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens,
            0,
          )
          expect(money(spent)).toBeLessThanOrEqual(limit + 1e-9)
          expect(used).toBeLessThanOrEqual(1_000)
          expect(await counted(store, 'all:money')).toBe(Math.round(money(spent) * 1e9))
          expect(await counted(store, 'all:tokens')).toBe(used)
        },
      ),
      { numRuns: process.env.MILLRACE_THOROUGH === '1' ? 2_000 : 40 },
    )
  })
})

describe('model calls of processors', () => {
  const verdict = JSON.stringify({ flagged: false, categories: [], score: 0, reason: '' })

  test('count together with those of the agent, if they pass through the guard', async () => {
    const store = new InMemoryStore()
    const guard = new CostGuard({ limits: [{ calls: 3 }], store })
    const judge = new JudgeGuard({
      model: new ScriptedModel([verdict], { repeat: 'last' }),
      instructions: 'Flag insults.',
      surfaces: ['input'],
      cache: 0,
      processors: [guard],
    })
    const model = new ScriptedModel(['Hello'], { repeat: 'last' })
    const agent = new Agent({ model, processors: [judge, guard] })
    const user = { resourceId: 'user-1' }
    expect(await agent.generate('Hi', user)).toBeCompleted()
    // The judge's call is the third; no call is left for the answer.
    expect(await agent.generate('Hi', user)).toHaveTripped({ processorId: 'cost-guard' })
    expect(await agent.generate('Hi', user)).toHaveTripped({ processorId: 'judge-guard' })
    expect(await agent.generate('Hi', { resourceId: 'user-2' })).toBeCompleted()
    expect(model.callCount).toBe(2)
  })

  test('are recorded, including those of a moderation', async () => {
    const moderation = new ModerationProcessor({
      tiers: [modelModeration({ model: new ScriptedModel([verdict], { repeat: 'last' }) })],
      surfaces: ['input'],
    })
    const agent = new Agent({ model: new ScriptedModel(['Hello']), processors: [moderation] })
    const { processors } = await agent.generate('Hi')
    expect(processors.flatMap(({ modelUsage = [] }) => modelUsage)).toMatchObject([{ calls: 1 }])
  })
})

describe('the reservation of a process that died', () => {
  test('is released once when its lease expires', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const store = new InMemoryStore()
    const dying = guarded([{ money: 6 }], () => [hang()], { store, leaseMs: 1_000 })
    // Two runs that never end.
    const stuck = [1, 2].map(() => dying.agent.stream('Hi'))
    for (const stream of stuck) void stream.fullStream[Symbol.asyncIterator]().next()
    await expect.poll(() => dying.model.callCount).toBe(2)

    const alive = guarded([{ money: 6 }], () => 'Hello', { store, leaseMs: 1_000 })
    expect(await alive.agent.generate('Hi')).toHaveStatus('tripwire')
    vi.setSystemTime(Date.now() + 1_001)
    const results = await Promise.all(Array.from({ length: 20 }, () => alive.agent.generate('Hi')))
    expect(results.filter(({ status }) => status === 'completed')).toHaveLength(2)
    expect(await counted(store, 'resource:money')).toBe(6e9)
  })

  test('is charged if the call ends after all', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const store = new InMemoryStore()
    const held = gate()
    const slow = guarded([{ calls: 1 }], [[held, 'Slow.']], { store, leaseMs: 1_000 })
    const run = slow.agent.generate('Hi')
    await held.reached
    vi.setSystemTime(Date.now() + 1_001)
    const other = guarded([{ calls: 1 }], () => 'Hello', { store, leaseMs: 1_000 })
    expect(await other.agent.generate('Hi')).toBeCompleted()
    held.open()
    await run
    expect(await counted(store, 'resource:calls')).toBe(2)
  })
})

test('a failing store fails the run by default', async () => {
  const store = { addToCounter: () => Promise.reject(new Error('down')) } as unknown as CounterStore
  const strict = guarded([{ calls: 1 }], () => 'Hello', { store })
  await expect(strict.agent.generate('Hi')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  expect(strict.model.callCount).toBe(0)
  const lax = guarded([{ calls: 1 }], () => text('Hello'), { store, onError: 'skip' })
  expect(await lax.agent.generate('Hi')).toHaveText('Hello')
})

test.each([
  { limits: [] },
  { limits: [{}] },
  { limits: [{ money: 1 }] },
  { limits: [{ calls: 0 }] },
  { limits: [{ tokens: 1.5 }] },
  { limits: [{ calls: 1, scope: 'x' }] },
  { limits: [{ calls: 1, scope: 'run', windowMs: 5 }] },
  { limits: [{ calls: 1 }, { calls: 2 }] },
  { limits: [{ calls: 1 }], strategy: 'x' },
  { limits: [{ calls: 1 }], warnAt: 0 },
  { limits: [{ calls: 1 }], maxOutputTokens: 0 },
  { limits: [{ calls: 1 }], leaseMs: -1 },
])('rejects %o', (options) => {
  expect(() => new CostGuard(options as never)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
})

async function counted(
  store: CounterStore,
  name: string,
  resourceId?: string,
  windowMs?: number,
): Promise<number> {
  const window = windowMs === undefined ? '' : `:${windowMs}:${Math.floor(Date.now() / windowMs)}`
  const counter = await store.addToCounter({ resourceId, key: `cost-guard:${name}${window}`, amount: 0 })
  return counter.value
}

test('counts the calls of agents used as tools once, if all agents have the same guard', async () => {
  const spent: CostGuardEvent[] = []
  const guard = new CostGuard({ limits: [{ calls: 3 }], ...exact, onSpend: (event) => spent.push(event) })
  const inner = agentWith(new ScriptedModel(() => 'Rain.'), guard, { name: 'inner' })
  const asking = (): Agent =>
    agentWith(new ScriptedModel([toolCall('ask', { prompt: 'Rain?' }), 'It rains.']), guard, {
      tools: { ask: inner.asTool() },
    })
  const stream = asking().stream('Hi')
  for await (const _ of stream.fullStream);
  const { usage } = await stream.result
  expect(spent).toHaveLength(3)
  expect(spent.reduce((sum, call) => sum + call.inputTokens + call.outputTokens, 0)).toBe(usage.totalTokens)
  expect(await asking().generate('Hi')).toHaveStatus('tripwire')
  expect(spent).toHaveLength(3)
})
