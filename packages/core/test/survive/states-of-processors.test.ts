import { Agent, type Processor, type RunStore, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { MortalStore, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'

expect.extend(matchers)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const LEASE = 30_000
const CALLS = 12

/** Keeps something of each call, and a field that goes to and fro; says at the end what it has kept. */
const keeping = (say: (state: unknown) => void): Processor => ({
  id: 'keeping',
  processExecution({ state, direction, toolCall }) {
    if (direction !== 'out') return
    state[toolCall.toolCallId] = 'x'.repeat(1_000)
    state.isEven = state.isEven !== true
    state.calls = [...((state.calls as string[]) ?? []), toolCall.toolCallId]
  },
  processOutputResult: ({ state }) => void say({ ...state }),
})

/** Calls its tool in one step after the other; in the last one three times. */
function agentOf(storage: RunStore, execute: (id: string) => unknown, processor: Processor): Agent {
  const model = new ScriptedModel(({ prompt }) => {
    const step = prompt.filter(({ role }) => role === 'assistant').length
    if (step > CALLS) return 'Done.'
    const ids = step < CALLS ? [`call-${step}`] : ['first', 'second', 'last']
    return ids.map((id) => toolCall('work', {}, { id }))
  })
  const work = tool({
    inputSchema: z.object({}),
    onInterrupted: 'retry',
    execute: async (_, { toolCallId }) => {
      await execute(toolCallId)
      return 'done'
    },
  })
  return new Agent({
    model,
    storage,
    checkpoint: 'step',
    maxSteps: 100,
    toolConcurrency: 1,
    tools: { work },
    processors: [processor],
  })
}

test('a call is stored with the changes to processor state since the last snapshot, and not with all of it', async () => {
  const store = new InMemoryRunStore()
  const outcomes: string[] = []
  const update = store.updateRun.bind(store)
  store.updateRun = async (lease, change) => {
    for (const { outcome } of change.calls ?? []) if (outcome?.includes('"answer"')) outcomes.push(outcome)
    await update(lease, change)
  }
  const mortal = new MortalStore(store)
  const killed = Promise.withResolvers<void>()
  const kill = (id: string): unknown => {
    if (id !== 'last') return undefined
    killed.resolve()
    return mortal.kill()
  }
  agentOf(
    mortal.storage,
    kill,
    keeping(() => {}),
  )
    .generate('Go')
    .catch(() => {})
  await killed.promise
  expect(outcomes).toHaveLength(CALLS + 2)
  for (const outcome of outcomes.slice(0, CALLS)) expect(outcome.length).toBeLessThan(2_000)

  vi.advanceTimersByTime(LEASE)
  const [run] = await store.listRuns({})
  const states: unknown[] = []
  const other = agentOf(
    store,
    () => {},
    keeping((state) => void states.push(state)),
  )
  expect(await other.resume(run?.runId ?? '').result).toHaveStatus('completed')
  const ids = [...Array.from({ length: CALLS }, (_, step) => `call-${step}`), 'first', 'second', 'last']
  const whole = Object.fromEntries(ids.map((id) => [id, 'x'.repeat(1_000)]))
  // Of 15 calls, each has turned the field.
  expect(states).toEqual([{ ...whole, calls: ids, isEven: true }])
})
