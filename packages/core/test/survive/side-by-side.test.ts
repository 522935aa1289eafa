import { Agent, type Processor, type RunStore, type Tool } from '@millrace/core'
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
const anything = z.object({}).loose()

/** An agent that calls these tools in one step, once they are approved. */
function agentOf(
  storage: RunStore,
  work: Record<string, () => unknown>,
  processors: Processor[] = [],
): Agent {
  const names = Object.keys(work)
  const tools = Object.entries(work).map(([name, execute]): [string, Tool] => [
    name,
    {
      inputSchema: anything,
      needsApproval: true,
      execute: async () => {
        await execute()
        return `${name} done`
      },
    },
  ])
  const model = new ScriptedModel(({ prompt }) =>
    prompt.some(({ role }) => role === 'tool')
      ? 'Done.'
      : names.map((name) => toolCall(name, {}, { id: name })),
  )
  return new Agent({ model, storage, tools: Object.fromEntries(tools), processors })
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

test('after calls that ended in another order than they started, processor state is that of the last to end', async () => {
  const counts: unknown[] = []
  const counting: Processor = {
    id: 'counting',
    processExecution({ state, direction, toolCall }) {
      if (direction === 'out') state.seen = [...((state.seen as string[]) ?? []), toolCall.toolName]
    },
    processOutputResult({ state }) {
      counts.push(state.seen)
    },
  }
  const store = new InMemoryRunStore()
  const none = { slow: () => {}, fast: () => {}, last: () => {} }
  const waiting = await agentOf(store, none, [counting]).generate('Go')
  const mortal = new MortalStore(store)
  const ended = Promise.withResolvers<void>()
  agentOf(
    mortal.storage,
    {
      slow: () => turns(5),
      fast: () => {},
      last: async () => {
        await turns(15)
        ended.resolve()
        return mortal.kill()
      },
    },
    [counting],
  )
    .resume(waiting.runId, { approved: true, all: true })
    .catch(() => {})
  await ended.promise
  vi.advanceTimersByTime(LEASE)
  const agent = agentOf(store, none, [counting])
  const asked = await agent.resume(waiting.runId)
  const done = await agent.resume(asked.runId, { output: 'It was done.' })
  expect(done).toHaveStatus('completed')
  expect(counts).toEqual([['fast', 'slow']])
})
