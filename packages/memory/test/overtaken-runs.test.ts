import { Agent, isToolPart, tool } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Memory } from '../src/index.ts'

expect.extend(matchers)

// A process that is held up for longer than its lease is overtaken by another one.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const place = { threadId: 'thread-1', resourceId: 'ada' }
const owner = { resourceId: 'ada' }
const LEASE = 30_000

/** Where a process is held up, until it is let go. */
interface Hold {
  in: 'tool' | 'model'
  reached: PromiseWithResolvers<void>
  passed: PromiseWithResolvers<void>
}

const newHold = (where: Hold['in']): Hold => ({
  in: where,
  reached: Promise.withResolvers(),
  passed: Promise.withResolvers(),
})

/** An agent that pays once it is approved, and says who has done it. */
function agentOf(
  store: InMemoryStore,
  name: string,
  { hold, suspensionTtl = 2_880 * LEASE }: { hold?: Hold; suspensionTtl?: number } = {},
): Agent {
  const pass = async (where: Hold['in']): Promise<void> => {
    if (hold?.in !== where) return
    hold.reached.resolve()
    await hold.passed.promise
  }
  const pay = tool({
    inputSchema: z.object({}),
    needsApproval: true,
    onInterrupted: 'retry',
    execute: async () => {
      await pass('tool')
      return `paid by ${name}`
    },
  })
  const model = new ScriptedModel(async ({ prompt }) => {
    if (!prompt.some(({ role }) => role === 'tool')) return toolCall('pay', {}, { id: 'pay' })
    await pass('model')
    return `Done by ${name}.`
  })
  return new Agent({
    model,
    storage: store,
    memory: new Memory({ storage: store }),
    tools: { pay },
    runLease: LEASE,
    suspensionTtl,
  })
}

async function inThread(store: InMemoryStore): Promise<unknown[]> {
  const { items } = await store.listMessages(place)
  return items.flatMap(({ message }) =>
    message.content.parts.flatMap((part) =>
      isToolPart(part)
        ? [part.state === 'output-available' ? part.output : part.state]
        : part.type === 'text'
          ? [part.text]
          : [],
    ),
  )
}

test.each(['tool', 'model'] as const)(
  'a process that stalls in its %s and is overtaken writes nothing to the thread',
  async (where) => {
    const store = new InMemoryStore()
    const { runId } = await agentOf(store, 'nobody').generate('Pay', place)
    const hold = newHold(where)
    const late = agentOf(store, 'late', { hold })
      .resume(runId, { approved: true }, owner)
      .then(
        ({ status }) => status,
        (error: unknown) => (error as { code?: string }).code,
      )
    await hold.reached.promise
    vi.advanceTimersByTime(LEASE)
    expect(await agentOf(store, 'next').resume(runId, undefined, owner)).toHaveStatus('completed')
    // What was recorded before is not done again.
    const paid = where === 'tool' ? 'paid by next' : 'paid by late'
    expect(await inThread(store)).toEqual(['Pay', paid, 'Done by next.'])
    hold.passed.resolve()
    expect(['aborted', 'RUN_LEASE_LOST']).toContain(await late)
    expect(await inThread(store)).toEqual(['Pay', paid, 'Done by next.'])
  },
)

test('a process that stalls until its run has expired still writes to the thread', async () => {
  const store = new InMemoryStore()
  const { runId } = await agentOf(store, 'first', { suspensionTtl: LEASE }).generate('Pay', place)
  const hold = newHold('tool')
  const late = agentOf(store, 'late', { hold, suspensionTtl: LEASE })
    .resume(runId, { approved: true }, owner)
    .then(
      ({ status }) => status,
      (error: unknown) => (error as { code?: string }).code,
    )
  await hold.reached.promise
  vi.advanceTimersByTime(3 * LEASE)
  expect(await store.getRun(runId, owner)).toEqual({ state: 'expired' })
  hold.passed.resolve()
  expect(await late).toBe('aborted')
  expect(await inThread(store)).toEqual(['Pay', 'output-error'])
})

test.each(['stopped', 'failed'] as const)(
  'a run that is %s is in its thread before another process can resume it',
  async (how) => {
    const store = new InMemoryStore()
    const { runId } = await agentOf(store, 'first').generate('Pay', place)
    const saving = Promise.withResolvers<void>()
    const saved = Promise.withResolvers<void>()
    let isEnding = false
    const slow = new Proxy(store, {
      get(target, name) {
        const method = target[name as keyof InMemoryStore]
        if (typeof method !== 'function') return method
        return async (...values: never[]) => {
          if (name === 'saveMessages' && isEnding) {
            saving.resolve()
            await saved.promise
          }
          return (method as (...values: never[]) => unknown).apply(target, values)
        }
      },
    })
    const hold = newHold('model')
    const stop = new AbortController()
    const late = agentOf(slow, 'late', { hold })
      .resume(runId, { approved: true }, { ...owner, abortSignal: stop.signal })
      .then(
        ({ status }) => status,
        (error: unknown) => (error as { code?: string }).code,
      )
    await hold.reached.promise
    isEnding = true
    if (how === 'stopped') stop.abort()
    else hold.passed.reject(new Error('The model is down.'))
    await saving.promise
    const next = agentOf(store, 'next')
    await expect(next.resume(runId, undefined, owner)).rejects.toMatchObject({ code: 'RUN_ALREADY_RESUMED' })
    saved.resolve()
    await late
    expect(await inThread(store)).toEqual(['Pay', 'paid by late'])
    await expect.poll(() => next.suspendedRuns(owner)).toHaveLength(1)
    expect(await next.resume(runId, undefined, owner)).toHaveStatus('completed')
    expect(await inThread(store)).toEqual(['Pay', 'paid by late', 'Done by next.'])
  },
)
