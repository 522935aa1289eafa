import {
  Agent,
  isToolPart,
  type Processor,
  type RunStore,
  type Tool,
  type ToolPart,
  tool,
} from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { MortalStore, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Memory } from '../src/index.ts'

expect.extend(matchers)

// A process that dies is one whose store never answers again. Its lease expires with the clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const place = { threadId: 'thread-1', resourceId: 'ada' }
const owner = { resourceId: 'ada' }
const LEASE = 30_000

interface Setup {
  store: InMemoryStore
  storage?: RunStore
  /** What a tool does while it executes, by its name. */
  work?: Record<string, () => unknown>
  processors?: Processor[]
  onInterrupted?: Tool['onInterrupted']
}

const isThorough = process.env.MILLRACE_THOROUGH === '1'

const NAMES = ['look', 'pay', 'tell', 'ask']

/** An agent that calls all its tools in one step, two at a time, once they are approved. */
function agentOf({ store, storage = store, work = {}, processors = [], onInterrupted }: Setup) {
  const tools = NAMES.map((name): [string, Tool] => [
    name,
    tool({
      inputSchema: z.object({}),
      needsApproval: true,
      onInterrupted,
      execute: async () => {
        await work[name]?.()
        return `${name} done`
      },
    }),
  ])
  const model = new ScriptedModel(({ prompt }) =>
    prompt.some(({ role }) => role === 'tool')
      ? 'Done.'
      : NAMES.map((name) => toolCall(name, {}, { id: name })),
  )
  const memory = new Memory({ storage: store })
  return new Agent({
    model,
    storage,
    memory,
    tools: Object.fromEntries(tools),
    toolConcurrency: 2,
    processors,
  })
}

/** A run whose process dies while it pays, once `look` has ended and is in the journal. */
async function interruptedRun(setup: Omit<Setup, 'store'> = {}) {
  const store = new InMemoryStore()
  const waiting = await agentOf({ ...setup, store }).generate('Go', place)
  const mortal = new MortalStore(store)
  const die = async (): Promise<never> => {
    while (mortal.changes.length < 3) await new Promise((resolve) => setImmediate(resolve))
    return mortal.kill()
  }
  agentOf({ ...setup, store, storage: mortal.storage, work: { pay: die } })
    .resume(waiting.runId, { approved: true, all: true }, owner)
    .catch(() => {})
  await mortal.died
  vi.advanceTimersByTime(LEASE)
  return { store, runId: waiting.runId, agent: agentOf({ ...setup, store }) }
}

async function callsIn(store: InMemoryStore): Promise<Record<string, unknown>> {
  const { items } = await store.listMessages(place)
  const parts = items.flatMap(({ message }) => message.content.parts.filter(isToolPart))
  return Object.fromEntries(parts.map((part) => [part.toolCallId, outcomeOf(part)]))
}

function outcomeOf(part: ToolPart): unknown {
  return part.state === 'output-available'
    ? part.output
    : part.state === 'output-error'
      ? part.errorText
      : part.state
}

const MAYBE = expect.stringContaining('may or may not have been executed')
const LOST = expect.stringContaining('was executed, but its output is lost')

test.each([undefined, 'retry', 'fail'] as const)(
  'an interrupted run that is released keeps each of its calls in the thread, with its known outcome: %s',
  async (onInterrupted) => {
    const { store, runId, agent } = await interruptedRun({ onInterrupted })
    expect(await callsIn(store)).toEqual({})
    expect(await agent.release(runId, { resourceId: 'eve' })).toBe(false)
    expect(await callsIn(store)).toEqual({})
    expect(await agent.release(runId, owner)).toBe(true)
    const calls = await callsIn(store)
    expect(calls).toMatchObject({ look: 'look done', pay: MAYBE })
    expect(Object.keys(calls)).toEqual(NAMES)
    // It is a conversation that goes on.
    const model = new ScriptedModel(['I see.'])
    await new Agent({ model, memory: new Memory({ storage: store }) }).generate('And?', place)
    expect(model.lastPrompt).toPairEveryToolCall()
    expect(await agent.suspendedRuns(owner)).toEqual([])
    await expect(agent.resume(runId, undefined, owner)).rejects.toMatchObject({ code: 'RUN_RELEASED' })
  },
)

test('so does one that is released instead of answered', async () => {
  const { store, runId, agent } = await interruptedRun()
  const asked = await agent.resume(runId, undefined, owner)
  expect(asked.suspension?.payload).toMatchObject({ type: 'tool-interrupted' })
  expect(await asked.suspension?.release()).toBe(true)
  expect(await callsIn(store)).toMatchObject({
    look: 'look done',
    pay: MAYBE,
    tell: 'tell done',
    ask: 'ask done',
  })
})

test('an output that processors have not seen is not added to the thread', async () => {
  let isOpen = true
  const watching: Processor = {
    id: 'watching',
    processToolResult: async ({ toolCall, output }) => {
      while (isOpen && toolCall.toolName === 'look') await new Promise((resolve) => setImmediate(resolve))
      return { output: `clean ${output}` }
    },
  }
  const { store, runId, agent } = await interruptedRun({ processors: [watching] })
  isOpen = false
  expect(await agent.release(runId, owner)).toBe(true)
  expect(await callsIn(store)).toMatchObject({ look: LOST, pay: MAYBE })
  expect(JSON.stringify(await store.listMessages(place))).not.toContain('look done')
})

test('a run without calls leaves nothing, and an unreadable one is released without a trace', async () => {
  const store = new InMemoryStore()
  const agent = agentOf({ store })
  const waiting = await agent.generate('Go', place)
  expect(await waiting.suspension?.release()).toBe(true)
  expect(await callsIn(store)).toEqual({})

  const { store: other, runId } = await interruptedRun()
  const model = new ScriptedModel([])
  const without = new Agent({ model, storage: other, memory: new Memory({ storage: other }) })
  const errors: unknown[] = []
  without.on('background-error', ({ error }) => errors.push(error))
  expect(await without.release(runId, owner)).toBe(true)
  await without.close()
  expect(errors).toMatchObject([{ code: 'RUN_INCOMPATIBLE' }])
  expect(await callsIn(other)).toEqual({})
})

test('a run that is released and resumed concurrently does one of both, and keeps the outcome of its calls', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 2 }), async (scheduler, resumers) => {
      const { store, runId } = await interruptedRun({ onInterrupted: 'retry' })
      const interleaved = new Proxy(store, {
        get(target, name) {
          const method = target[name as keyof InMemoryStore]
          if (typeof method !== 'function') return method
          return scheduler.scheduleFunction((...values: never[]) =>
            (method as (...values: never[]) => Promise<unknown>).apply(target, values),
          )
        },
      })
      const paid: string[] = []
      const build = () =>
        agentOf({ store: interleaved, onInterrupted: 'retry', work: { pay: () => paid.push('pay') } })
      const released = build().release(runId, owner)
      const resumed = Array.from({ length: resumers }, async () => {
        try {
          return (await build().resume(runId, undefined, owner)).status
        } catch (error) {
          return (error as { code?: string }).code
        }
      })
      const outcomes = await scheduler.waitFor(Promise.all(resumed))
      const completed = outcomes.filter((outcome) => outcome === 'completed').length
      expect(completed).toBe((await scheduler.waitFor(released)) ? 0 : 1)
      expect(paid).toHaveLength(completed)
      expect(await callsIn(store)).toEqual(
        completed
          ? Object.fromEntries(NAMES.map((name) => [name, `${name} done`]))
          : { look: 'look done', pay: MAYBE, tell: expect.anything(), ask: expect.anything() },
      )
      const { items } = await store.listMessages(place)
      const ids = items.flatMap(({ message }) => message.content.parts.filter(isToolPart))
      expect(ids).toHaveLength(NAMES.length)
    }),
    { numRuns: isThorough ? 2_000 : 60 },
  )
}, 3_600_000)

test.each([
  { change: 1, when: 'after' },
  { change: 2, when: 'before' },
  { change: 2, when: 'after' },
] as const)(
  'if the process crashes during the release, the run can be resumed or released again: %o',
  async (death) => {
    const isReleased = death.change === 2 && death.when === 'after'
    for (const next of ['release', 'resume'] as const) {
      const { store, runId, agent } = await interruptedRun({ onInterrupted: 'retry' })
      const mortal = new MortalStore(store, death)
      agentOf({ store, storage: mortal.storage })
        .release(runId, owner)
        .catch(() => {})
      await mortal.died
      expect(mortal.changes.slice(0, death.change)).toEqual(['claimRun', 'endRun'].slice(0, death.change))
      await expect(agent.resume(runId, undefined, owner)).rejects.toMatchObject({
        code: isReleased ? 'RUN_RELEASED' : 'RUN_ALREADY_RESUMED',
      })
      vi.advanceTimersByTime(LEASE)
      expect(await agent.suspendedRuns(owner)).toHaveLength(isReleased ? 0 : 1)
      if (next === 'release') expect(await agent.release(runId, owner)).toBe(!isReleased)
      else if (!isReleased) expect(await agent.resume(runId, undefined, owner)).toHaveStatus('completed')
      const pay = next === 'resume' && !isReleased ? 'pay done' : MAYBE
      expect(await callsIn(store)).toMatchObject({ look: 'look done', pay })
      const { items } = await store.listMessages(place)
      expect(items.map(({ message }) => message.role)).toEqual(['user', 'assistant'])
    }
  },
)

test('a waiting run whose release crashed can still be answered', async () => {
  const store = new InMemoryStore()
  const agent = agentOf({ store })
  const waiting = await agent.generate('Go', place)
  const mortal = new MortalStore(store, { change: 1, when: 'after' })
  agentOf({ store, storage: mortal.storage })
    .release(waiting.runId, owner)
    .catch(() => {})
  await mortal.died
  vi.advanceTimersByTime(LEASE)
  await expect(agent.resume(waiting.runId, undefined, owner)).rejects.toMatchObject({
    code: 'RUN_RESUME_INVALID',
  })
  expect(await agent.resume(waiting.runId, { approved: true, all: true }, owner)).toHaveStatus('completed')
  expect(await callsIn(store)).toMatchObject({ look: 'look done', pay: 'pay done' })
})
