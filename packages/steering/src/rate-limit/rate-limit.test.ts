import { Agent, type CounterStore, tool } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { RateLimit, type RateLimitEvent, type RateLimitOptions, type RateLimitRule } from './rate-limit.ts'

expect.extend(matchers)

const HOUR = 3_600_000
const tools = { look: tool({ inputSchema: z.object({}), execute: () => 'seen' }) }

afterEach(() => {
  vi.useRealTimers()
})

/** An agent that calls a tool once, and then answers. */
function agentWith(limits: readonly RateLimitRule[], options: Partial<RateLimitOptions> = {}) {
  const model = new ScriptedModel(({ prompt }) =>
    prompt.at(-1)?.role === 'tool' ? 'Done.' : toolCall('look'),
  )
  return { model, agent: new Agent({ model, tools, processors: [new RateLimit({ limits, ...options })] }) }
}

function limitedTo(limit: number | RateLimit, options: { storage: InMemoryStore }): Agent {
  const processor = typeof limit === 'number' ? new RateLimit({ limits: [{ limit, windowMs: HOUR }] }) : limit
  return new Agent({ model: new ScriptedModel(['Hello']), processors: [processor], ...options })
}

function lastingStore(): InMemoryStore {
  return Object.assign(new InMemoryStore(), {
    capabilities: { search: true, vectors: true, blobs: true, persistent: true },
  })
}

describe('RateLimit', () => {
  test('admits as many runs as the limit, and reports how long to wait', async () => {
    const { agent, model } = agentWith([{ limit: 2, windowMs: HOUR }])
    expect(await agent.generate('1')).toBeCompleted()
    expect(await agent.generate('2')).toBeCompleted()
    const third = await agent.generate('3')
    expect(third).toHaveTripped({
      processorId: 'rate-limit',
      hook: 'processInput',
      reason: 'The limit of 2 runs for this user is reached.',
    })
    expect(third.rejection?.metadata).toEqual({
      scope: 'resource',
      unit: 'runs',
      limit: 2,
      retryAfterMs: expect.any(Number),
    })
    expect(model.callCount).toBe(4)
  })

  test('starts again with the next window', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { agent } = agentWith([{ limit: 1, windowMs: HOUR }])
    await agent.generate('1')
    const denied = await agent.generate('2')
    const { retryAfterMs } = { retryAfterMs: 0, ...(denied.rejection?.metadata as object) }
    vi.setSystemTime(Date.now() + retryAfterMs - 1)
    expect(await agent.generate('3')).toHaveStatus('tripwire')
    vi.setSystemTime(Date.now() + 1)
    expect(await agent.generate('4')).toBeCompleted()
    expect(await agent.generate('5')).toHaveStatus('tripwire')
  })

  test('does not admit a second limit around the boundary of two windows', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const begin = Math.ceil(Date.now() / HOUR) * HOUR
    const { agent } = agentWith([{ limit: 10, windowMs: HOUR }])
    const passed = async (at: number): Promise<number> => {
      vi.setSystemTime(begin + at * HOUR)
      const results = await Promise.all(Array.from({ length: 20 }, () => agent.generate('Hi')))
      return results.filter(({ status }) => status === 'completed').length
    }
    expect(await passed(0.9)).toBe(10)
    expect(await passed(1.01)).toBe(0)
    expect(await passed(1.5)).toBe(5)
    expect(await passed(1.99)).toBe(5)
    expect(await passed(3)).toBe(10)
  })

  test('reports how long to wait for the window to slide', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const begin = Math.ceil(Date.now() / HOUR) * HOUR
    for (const [limit, at] of [
      [1, 0.2],
      [3, 0.7],
      [10, 0.99],
    ] as const) {
      vi.setSystemTime(begin + at * HOUR)
      const { agent } = agentWith([{ limit, windowMs: HOUR }])
      for (let count = 0; count < limit; count++) expect(await agent.generate('Hi')).toBeCompleted()
      for (let round = 0; round < 4; round++) {
        const denied = await agent.generate('Hi')
        const { retryAfterMs } = { retryAfterMs: 0, ...(denied.rejection?.metadata as object) }
        expect(retryAfterMs).toBeGreaterThan(0)
        vi.setSystemTime(Date.now() + retryAfterMs - 2)
        expect(await agent.generate('Hi')).toHaveStatus('tripwire')
        vi.setSystemTime(Date.now() + 3)
        expect(await agent.generate('Hi')).toBeCompleted()
      }
    }
  })

  test('counts by resource, by thread or all together', async () => {
    const run = async (scope: RateLimitRule['scope'], ids: { resourceId?: string; threadId?: string }[]) => {
      const { agent } = agentWith([{ limit: 1, windowMs: HOUR, ...(scope && { scope }) }])
      const statuses: string[] = []
      for (const id of ids) statuses.push((await agent.generate('Hi', id)).status)
      return statuses
    }
    const [a, b] = [{ resourceId: 'a' }, { resourceId: 'b' }]
    const [aOne, aTwo] = [
      { ...a, threadId: '1' },
      { ...a, threadId: '2' },
    ]
    expect(await run('resource', [a, b, aOne])).toEqual(['completed', 'completed', 'tripwire'])
    expect(await run('thread', [aOne, aTwo, { ...b, threadId: '1' }, aOne])).toEqual([
      'completed',
      'completed',
      'completed',
      'tripwire',
    ])
    expect(await run('all', [a, b])).toEqual(['completed', 'tripwire'])
    expect(await run('resource', [{}, {}, a])).toEqual(['completed', 'tripwire', 'completed'])
    const longest = 'ü'.repeat(256)
    expect(await run('thread', [{ threadId: longest, resourceId: longest }])).toEqual(['completed'])
  })

  test('counts the calls of every step', async () => {
    const { agent, model } = agentWith([{ limit: 3, windowMs: HOUR, unit: 'calls' }])
    expect(await agent.generate('1')).toBeCompleted()
    expect(await agent.generate('2')).toHaveTripped({ hook: 'wrapModelCall' })
    expect(model.callCount).toBe(3)
  })

  test('does not count what another limit denies', async () => {
    const store = new InMemoryStore()
    const limits: RateLimitRule[] = [
      { limit: 5, windowMs: HOUR, scope: 'all' },
      { limit: 1, windowMs: HOUR },
    ]
    const { agent } = agentWith(limits, { store })
    for (let index = 0; index < 20; index++) await agent.generate('Hi', { resourceId: 'a' })
    const statuses = []
    for (const resourceId of ['b', 'c', 'd', 'e', 'f'])
      statuses.push((await agent.generate('Hi', { resourceId })).status)
    expect(statuses).toEqual(['completed', 'completed', 'completed', 'completed', 'tripwire'])
  })

  test('answers in the model’s place with halt', async () => {
    const { agent } = agentWith([{ limit: 1, windowMs: HOUR }], { strategy: 'halt', response: 'Later!' })
    await agent.generate('1')
    expect(await agent.generate('2')).toMatchObject({ status: 'halted', text: 'Later!' })
  })

  test('warns at warnAt, and only warns with warn', async () => {
    const events: RateLimitEvent[] = []
    const { agent } = agentWith([{ limit: 5, windowMs: HOUR }], {
      strategy: 'warn',
      onWarning: (event) => events.push(event),
    })
    for (let index = 0; index < 7; index++) expect(await agent.generate('Hi')).toBeCompleted()
    expect(events.map(({ count }) => count)).toEqual([4, 5, 6, 7])
    expect(events[0]).toMatchObject({ processorId: 'rate-limit', unit: 'runs', limit: 5 })
  })

  test.each(['runs', 'calls'] as const)(
    'admits exactly as many %s as the limit, of 200 at once',
    async (unit) => {
      const store = new InMemoryStore()
      const agents = Array.from({ length: 4 }, () =>
        agentWith([{ limit: 37, windowMs: HOUR, unit }], { store }),
      )
      const results = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          agents[index % 4]?.agent.generate('Hi', { resourceId: 'a' }),
        ),
      )
      const calls = agents.reduce((sum, { model }) => sum + model.callCount, 0)
      const passed = results.filter((result) => result?.status === 'completed').length
      if (unit === 'runs') expect(passed).toBe(37)
      else expect(calls).toBe(37)
    },
  )

  test("counts in the agent's storage if it is persistent: agents that share it share the limit", async () => {
    const storage = lastingStore()
    const agents = [1, 2].map(() => limitedTo(1, { storage }))
    expect(await agents[0]?.generate('Hi')).toBeCompleted()
    expect(await agents[1]?.generate('Hi')).toHaveStatus('tripwire')
  })

  test('counts in the instance if the storage is not persistent: a new agent for each request does not reset it', async () => {
    const limit = new RateLimit({ limits: [{ limit: 1, windowMs: HOUR }] })
    const agents = [1, 2].map(() => limitedTo(limit, { storage: new InMemoryStore() }))
    expect(await agents[0]?.generate('Hi')).toBeCompleted()
    expect(await agents[1]?.generate('Hi')).toHaveStatus('tripwire')
  })

  test('fails the run by default if the store fails', async () => {
    const store = { addToCounter: () => Promise.reject(new Error('down')) } as unknown as CounterStore
    const limits = [{ limit: 1, windowMs: HOUR }]
    await expect(agentWith(limits, { store }).agent.generate('Hi')).rejects.toMatchObject({
      code: 'PROCESSOR_FAILED',
    })
    expect(await agentWith(limits, { store, onError: 'skip' }).agent.generate('Hi')).toBeCompleted()
  })

  test.each([
    { limits: [] },
    { limits: [{ limit: 0, windowMs: 1 }] },
    { limits: [{ limit: 1 }] },
    { limits: [{ limit: 1, windowMs: 0.5 }] },
    { limits: [{ limit: 1, windowMs: 1, scope: 'x' }] },
    { limits: [{ limit: 1, windowMs: 1, unit: 'x' }] },
    {
      limits: [
        { limit: 1, windowMs: 1 },
        { limit: 2, windowMs: 1, scope: 'resource' },
      ],
    },
    { limits: [{ limit: 1, windowMs: 1 }], strategy: 'x' },
    { limits: [{ limit: 1, windowMs: 1 }], warnAt: 2 },
  ])('rejects %o', (options) => {
    expect(() => new RateLimit(options as never)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  })
})
