import { Agent, type RunStore, type Tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { ScriptedModel, toolCall } from '@millrace/testing'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { EVENTS, type Event, LEASE, RunLife } from './run-life.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const isThorough = process.env.MILLRACE_THOROUGH === '1'

describe('a run with two workers, a clock and an operator', () => {
  const newLife = async (store: RunStore = new InMemoryRunStore()): Promise<RunLife> => {
    const life = new RunLife(store, (milliseconds) => vi.advanceTimersByTime(milliseconds))
    await life.begin()
    return life
  }

  /** The first sequence that breaks an invariant, of all up to this depth. */
  const firstBroken = async (depth: number): Promise<string | undefined> => {
    const sequence: Event[] = []
    const visit = async (): Promise<string | undefined> => {
      const life = await newLife()
      for (const event of sequence) await life.apply(event)
      const broken = await life.broken()
      if (broken) return `${broken}: ${JSON.stringify(sequence)}`
      if (sequence.length === depth) return undefined
      for (const event of EVENTS) {
        // The workers are alike: what one does first, the other does first too.
        if (sequence.length === 0 && 'worker' in event && event.worker === 1) continue
        sequence.push(event)
        const found = await visit()
        if (found) return found
        sequence.pop()
      }
      return undefined
    }
    return visit()
  }

  test('executes its tool at most once, and loses no call, in every order of events up to a depth', async () => {
    expect(await firstBroken(isThorough ? 7 : 6)).toBeUndefined()
  }, 3_600_000)

  test('and in longer orders', async () => {
    const events = fc.array(fc.constantFrom(...EVENTS), { minLength: 6, maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(events, async (sequence) => {
        const life = await newLife()
        for (const event of sequence) {
          await life.apply(event)
          expect(await life.broken()).toBeUndefined()
        }
      }),
      { numRuns: isThorough ? 20_000 : 500 },
    )
  }, 3_600_000)

  test('and executes it twice if a store accepts an attempt that was overtaken', async () => {
    const unfenced = () => {
      const store = new InMemoryRunStore()
      const claims = new Map<string, number>()
      return new Proxy<RunStore>(store, {
        get(target, name) {
          if (name === 'claimRun') {
            return async (...values: Parameters<RunStore['claimRun']>) => {
              const claim = await target.claimRun(...values)
              if (claim?.attempt !== undefined) claims.set(values[0], claim.attempt)
              return claim
            }
          }
          if (name === 'updateRun') {
            return (...[lease, changes]: Parameters<RunStore['updateRun']>) =>
              target.updateRun({ ...lease, attempt: claims.get(lease.runId) ?? lease.attempt }, changes)
          }
          return (target[name as keyof RunStore] as (...values: never[]) => unknown).bind(target)
        },
      })
    }
    const overtaken: Event[] = [
      { type: 'step', worker: 0 },
      { type: 'expire-lease' },
      ...Array.from({ length: 3 }, (): Event => ({ type: 'step', worker: 1 })),
      ...Array.from({ length: 2 }, (): Event => ({ type: 'step', worker: 0 })),
    ]
    for (const [store, broken] of [
      [new InMemoryRunStore(), undefined],
      [unfenced(), 'the tool was called 2 times'],
    ] as const) {
      const life = await newLife(store)
      for (const event of overtaken) await life.apply(event)
      expect(await life.broken()).toBe(broken)
    }
  })

  test('and loses a call if a store gives a run to an operator that read it before the call', async () => {
    const released: Event[] = [
      { type: 'release' },
      ...Array.from({ length: 3 }, (): Event => ({ type: 'step', worker: 0 })),
      { type: 'crash', worker: 0 },
      { type: 'expire-lease' },
      ...Array.from({ length: 3 }, (): Event => ({ type: 'release' })),
    ]
    const unversioned = new InMemoryRunStore()
    const { claimRun } = unversioned
    unversioned.claimRun = (runId, { ifVersion: _, ...options }) => claimRun.call(unversioned, runId, options)
    for (const [store, broken] of [
      [new InMemoryRunStore(), undefined],
      [unversioned, 'a run was given up, and its call is not in the thread'],
    ] as const) {
      const life = await newLife(store)
      for (const event of released) await life.apply(event)
      expect(await life.broken()).toBe(broken)
    }
  })
})

describe('two agents that resume a run whenever they can', () => {
  interface World {
    paid: string[]
    store: RunStore
    build: () => Agent
  }

  /** Every call of the store, and the clock, come in an order that fast-check chooses. */
  function newWorld(scheduler: fc.Scheduler): World {
    const store = new InMemoryRunStore()
    const paid: string[] = []
    const storage = new Proxy<RunStore>(store, {
      get(target, name) {
        const method = target[name as keyof RunStore]
        if (typeof method !== 'function') return method
        return scheduler.scheduleFunction(async (...values: never[]) =>
          (method as (...values: never[]) => unknown).apply(target, values),
        )
      },
    })
    const pay: Tool = {
      inputSchema: z.object({}),
      needsApproval: true,
      execute: async (_input, { idempotencyKey }) => {
        await scheduler.schedule(Promise.resolve(), 'pay')
        paid.push(idempotencyKey)
        return 'receipt'
      },
    }
    const build = () =>
      new Agent({ model: new ScriptedModel(() => 'Paid.'), storage, tools: { pay }, runLease: LEASE })
    return { paid, store, build }
  }

  test('pay once, or ask, in every interleaving', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.boolean(), { maxLength: 6 }),
        async (scheduler, expiries) => {
          const { paid, store, build } = newWorld(scheduler)
          const model = new ScriptedModel([toolCall('pay', {}, { id: 'call' })])
          const tools = { pay: { inputSchema: z.object({}), needsApproval: true, execute: () => 'receipt' } }
          const { runId } = await new Agent({ model, storage: store, tools }).generate('Pay')
          const outcomes: (string | undefined)[] = []
          const resume = () =>
            build()
              .resume(runId, { approved: true })
              .then(
                ({ status }) => outcomes.push(status),
                (error: unknown) => outcomes.push((error as { code?: string }).code),
              )
          const working = [resume(), resume()]
          for (const isLong of expiries) {
            scheduler
              .schedule(Promise.resolve(), 'clock')
              .then(() => vi.advanceTimersByTime(isLong ? LEASE : 1))
          }
          await scheduler.waitFor(Promise.all(working))
          expect(paid.length).toBeLessThanOrEqual(1)
          expect(outcomes.filter((outcome) => outcome === 'completed').length).toBeLessThanOrEqual(1)
          vi.advanceTimersByTime(LEASE)
          const open = await store.listRuns({})
          // Paid and told, or listed with what is known.
          if (outcomes.includes('completed')) expect(paid).toHaveLength(1)
          else expect(open).toHaveLength(1)
          for (const outcome of outcomes) {
            expect([
              'completed',
              'suspended',
              'aborted',
              'RUN_ALREADY_RESUMED',
              'RUN_LEASE_LOST',
              'RUN_RESUME_INVALID',
            ]).toContain(outcome)
          }
        },
      ),
      { numRuns: isThorough ? 5_000 : 100 },
    )
  }, 3_600_000)
})
