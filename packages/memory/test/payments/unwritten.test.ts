import { Agent, type Processor, type Store, tool } from '@millrace/core'
import { InMemoryStore } from '@millrace/core/storage'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Memory } from '../../src/index.ts'
import { type WatchedStore, watchStore } from '../watched-store.ts'
import { hurry, PAY, place } from './till.ts'

expect.extend(matchers)

const owner = { resourceId: place.resourceId }
let watched: WatchedStore
let payments: number

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  watched = watchStore()
  payments = 0
})
afterEach(() => {
  vi.useRealTimers()
})

/** Makes every write of messages fail until the store is mended. */
function breakStore(): void {
  watched.fail = (method) => (method === 'saveMessages' ? new Error('I/O') : undefined)
}
function mendStore(): void {
  watched.fail = () => undefined
}

const pay = tool({
  inputSchema: z.object({}),
  execute: () => {
    payments++
    return 'receipt 7'
  },
})
const model = () =>
  new ScriptedModel(({ prompt }) => (prompt.some(({ role }) => role === 'tool') ? 'Paid.' : PAY))

function agentOf(processors: Processor[] = [], storage: Store = watched.storage): Agent {
  return new Agent({ model: model(), memory: new Memory({ storage }), tools: { pay }, processors })
}

async function thread(threadId = place.threadId): Promise<string> {
  return JSON.stringify(await new Memory({ storage: watched.storage }).getMessages({ ...owner, threadId }))
}

test('a waiting run is resumed once, and its turn is in the thread once', async () => {
  breakStore()
  const run = await hurry(agentOf().generate('Pay', place))
  expect(run).toHaveStatus('suspended')
  mendStore()
  const ends = await Promise.allSettled([
    agentOf().resume(run.runId, undefined, owner),
    agentOf().resume(run.runId, undefined, owner),
  ])
  expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  expect((await thread()).split('receipt 7')).toHaveLength(2)
  expect(await agentOf().suspendedRuns(place)).toEqual([])
  expect(payments).toBe(1)
})

test('a run waits again if it is resumed while the store still fails', async () => {
  breakStore()
  const run = await hurry(agentOf().generate('Pay', place))
  const again = await hurry(
    agentOf().resume(run.runId, undefined, owner) as Promise<{ status: string; runId: string }>,
  )
  expect(again.status).toBe('suspended')
  mendStore()
  expect(await agentOf().resume(again.runId, undefined, owner)).toHaveText('Paid.')
  expect(await thread()).toContain('receipt 7')
  expect(payments).toBe(1)
})

test('a run is not released before its calls are in the thread', async () => {
  breakStore()
  const run = await hurry(agentOf().generate('Pay', place))
  await expect(hurry(agentOf().release(run.runId, owner))).rejects.toMatchObject({
    code: 'RUN_THREAD_UNWRITTEN',
  })
  expect(await agentOf().suspendedRuns(place)).toHaveLength(1)
  mendStore()
  expect(await agentOf().release(run.runId, owner)).toBe(true)
  expect(await thread()).toContain('receipt 7')
  expect(await agentOf().suspendedRuns(place)).toEqual([])
})

test('a run that waits stays listed if its reader leaves or stops it at that moment', async () => {
  for (const way of ['leaves', 'stops'] as const) {
    const ids = { ...place, threadId: way }
    const stop = new AbortController()
    breakStore()
    const agent = agentOf()
    const stream = agent.stream('Pay', { ...ids, abortSignal: stop.signal })
    const read = async () => {
      for await (const chunk of stream.fullStream) {
        if (chunk.type !== 'suspended') continue
        if (way === 'leaves') break
        stop.abort()
      }
      await stream.result
    }
    await hurry(read())
    await hurry(agent.close())
    mendStore()
    const [waiting] = await agentOf().suspendedRuns(ids)
    await agentOf().resume(waiting?.runId ?? '', undefined, owner)
    expect(await thread(way)).toContain('receipt 7')
  }
})

test('state that is not JSON keeps no run from waiting for its thread', async () => {
  const counting: Processor = {
    id: 'counting',
    processInput: ({ state }) => {
      state.seen = new Map([['a', 1]])
    },
  }
  breakStore()
  const run = await hurry(agentOf([counting]).generate('Pay', place))
  expect(run).toHaveStatus('suspended')
  mendStore()
  expect(await agentOf([counting]).resume(run.runId, undefined, owner)).toBeCompleted()
  expect(await thread()).toContain('receipt 7')
})

test.each([true, false])(
  'an agent as a tool that paid waits with the run around it (blocked: %s)',
  async (isBlocked) => {
    const guard: Processor = {
      id: 'guard',
      processOutputStep: ({ text, abort }) => (text === 'Paid.' && isBlocked ? abort('No.') : undefined),
    }
    const outer = new Agent({
      model: new ScriptedModel(({ prompt }) =>
        prompt.some(({ role }) => role === 'tool') ? 'Done.' : toolCall('cashier', { prompt: 'Pay' }),
      ),
      memory: new Memory({ storage: new InMemoryStore() }),
      storage: watched.storage,
      tools: {
        cashier: new Agent({
          name: 'cashier',
          model: model(),
          memory: new Memory({ storage: watched.storage }),
          tools: { pay },
          processors: [guard],
        }).asTool(),
      },
    })
    breakStore()
    const run = await hurry(outer.generate('Go', place))
    await hurry(outer.close())
    mendStore()
    const inner = { ...owner, threadId: 'thread-1:cashier' }
    if (isBlocked) {
      // The tool has failed, and the run of the agent waits by itself.
      expect(run).toBeCompleted()
      const cashier = agentOf([guard])
      const [waiting] = await cashier.suspendedRuns(inner)
      await cashier.resume(waiting?.runId ?? '', undefined, inner)
    } else {
      expect(run.suspension?.payload).toMatchObject({ type: 'agent', payload: { type: 'thread-unwritten' } })
      expect(await outer.resume(run.runId, undefined, owner)).toHaveText('Done.')
    }
    expect(await thread(inner.threadId)).toContain('receipt 7')
    expect(payments).toBe(1)
  },
)

test('a blocked turn leaves its call, which the next prompt shows, and none of its text', async () => {
  const guard: Processor = {
    id: 'guard',
    processOutputStep: ({ text, abort }) => (text === 'Paid.' ? abort('No.') : undefined),
  }
  expect(await agentOf([guard]).generate('Pay', place)).toHaveTripped()
  expect(await thread()).not.toContain('Paid.')
  const next = new ScriptedModel(['Yes, it is paid.'])
  await new Agent({ model: next, memory: new Memory({ storage: watched.storage }) }).generate(
    'Is it paid?',
    place,
  )
  expect(next.lastPrompt).toPairEveryToolCall()
  expect(JSON.stringify(next.lastPrompt)).toContain('receipt 7')
})

test.each(['turn', 'step'] as const)(
  'a call of another attempt stays if that attempt is blocked after a first one was saved, by %s',
  async (persist) => {
    const script = new ScriptedModel(['Not yet.', PAY, 'Paid.'])
    const late: Processor = {
      id: 'late',
      processOutputResult: ({ result, abort }) =>
        result.text === 'Not yet.' ? abort('Pay now.', { retry: true }) : undefined,
      processOutputStep: ({ text, abort }) => (text === 'Paid.' ? abort('No.') : undefined),
    }
    const memory = new Memory({ storage: watched.storage, persist })
    const agent = new Agent({ model: script, outputProcessors: [memory, late], tools: { pay } })
    expect(await agent.generate('Pay', place)).toHaveTripped()
    expect(await thread()).toContain('receipt 7')
    expect(await thread()).not.toContain('Not yet.')
  },
)

test('output that a processor has blocked is not stored, and the call says that it was executed', async () => {
  const guard: Processor = { id: 'guard', processToolResult: ({ abort }) => abort('No.') }
  expect(await agentOf([guard]).generate('Pay', place)).toHaveTripped()
  expect(await thread()).not.toContain('receipt 7')
  expect(await thread()).toContain('was executed')
})

test('the question stays if its run is stopped while the model reasons', async () => {
  const stop = new AbortController()
  const reasons = new ScriptedModel(async () => {
    expect(await thread()).toContain('Pay')
    stop.abort()
    return 'Late.'
  })
  const agent = new Agent({ model: reasons, memory: new Memory({ storage: watched.storage }) })
  expect(await agent.generate('Pay', { ...place, abortSignal: stop.signal })).toHaveStatus('aborted')
  expect(await thread()).toContain('Pay')
})

test('a processor that only loads the history saves no question', async () => {
  const { MessageHistoryProcessor } = await import('../../src/index.ts')
  const agent = new Agent({
    model: new ScriptedModel(['Hi']),
    inputProcessors: [new MessageHistoryProcessor({ storage: watched.storage })],
  })
  await agent.generate('Hello', place)
  expect(watched.calls).toEqual(['listMessages'])
})
