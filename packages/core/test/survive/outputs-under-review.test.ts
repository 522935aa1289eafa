import { Agent, type Processor, type RunStore, type Tool, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { MortalStore, ScriptedModel, toolCall } from '@millrace/testing'
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
  executed: string[]
  /** What `slow` does while it executes, and `judge` while it looks at an output of `quick`. */
  slow?: () => unknown
  judge?: Processor['processToolResult']
  onInterrupted?: Tool['onInterrupted']
  /** Default: `slow` is called first. */
  calls?: string[]
}

/** An agent with a processor that looks at outputs, in the order of the calls. */
function judgedAgent({
  storage,
  executed,
  slow = () => {},
  judge = () => {},
  onInterrupted,
  calls = ['slow', 'quick'],
}: Setup) {
  const acts = (name: string, work: () => unknown) =>
    tool({
      inputSchema: anything,
      onInterrupted,
      execute: async () => {
        executed.push(name)
        await work()
        return `raw ${name}`
      },
    })
  const model = new ScriptedModel(({ prompt }) =>
    prompt.some(({ role }) => role === 'tool')
      ? 'Done.'
      : calls.map((name) => toolCall(name, {}, { id: name })),
  )
  const redacts: Processor = {
    id: 'redacts',
    processToolResult: ({ status, output }) =>
      status === 'success' ? { output: String(output).replace('raw', 'clean') } : undefined,
  }
  const judges: Processor = {
    id: 'judges',
    processToolResult: (args) => (args.toolCall.toolName === 'quick' ? judge(args) : undefined),
  }
  return new Agent({
    model,
    storage,
    checkpoint: 'step',
    processors: [redacts, judges],
    tools: { slow: acts('slow', slow), quick: acts('quick', () => {}) },
  })
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A run whose process dies when `isTime`: in `slow`, or as an output is looked at. */
async function die(given: Partial<Setup>, where: 'slow' | 'judge', isTime: (mortal: MortalStore) => boolean) {
  const store = new InMemoryRunStore()
  const mortal = new MortalStore(store)
  const executed: string[] = []
  const kill = async (): Promise<never> => {
    while (!isTime(mortal)) await turn()
    return mortal.kill()
  }
  const setup = { ...given, storage: store, executed }
  judgedAgent({ ...setup, storage: mortal.storage, [where]: kill })
    .generate('Go', { threadId: 'thread' })
    .catch(() => {})
  await mortal.died
  vi.advanceTimersByTime(LEASE)
  const [run] = await store.listRuns({ threadId: 'thread' })
  const runId = run?.runId ?? ''
  const states = Object.fromEntries(
    run?.interrupted?.calls.map((call) => [call.toolCallId, call.state]) ?? [],
  )
  return { store, executed, setup, runId, states, stored: JSON.stringify(await store.getRun(runId)) }
}

/** The run, the starts of two calls, and the end of one. */
const oneHasEnded = (mortal: MortalStore) => mortal.changes.length >= 3

describe('a call that has ended, and whose process dies before the processors have reviewed its output', () => {
  test.each([
    ['an earlier call is executed', { calls: ['slow', 'quick'] }, 'slow'],
    ['a processor looks at it', { calls: ['quick'] }, 'judge'],
  ] as const)('is known to have been executed, without its output: %s', async (_, given, where) => {
    const died = await die({ calls: [...given.calls] }, where, oneHasEnded)
    expect(died.states.quick).toBe('finished')
    expect(died.stored).not.toContain('raw')
    const agent = judgedAgent(died.setup)
    const asked = await agent.resume(died.runId)
    expect(asked.suspension?.payload).toEqual({
      type: 'tool-interrupted',
      toolCalls: given.calls.map((name) => ({
        toolCallId: name,
        toolName: name,
        input: {},
        ...(name === 'quick' && { executed: true }),
      })),
    })
    const answers = given.calls.map((name) => [name, { output: `raw ${name}` }])
    const done = await agent.resume(asked.runId, Object.fromEntries(answers))
    expect(done).toHaveText('Done.')
    expect(done.steps[0]?.toolResults).toMatchObject(given.calls.map((name) => ({ output: `clean ${name}` })))
    expect(died.executed).toEqual([...given.calls])
  })

  test('is answered with an error that says so, or executed again, by onInterrupted', async () => {
    const failed = await die({ onInterrupted: 'fail' }, 'slow', oneHasEnded)
    const { steps } = await judgedAgent(failed.setup).resume(failed.runId)
    expect(steps[0]?.toolResults).toMatchObject([
      { status: 'error', error: expect.stringContaining('may or may not have been executed') },
      { status: 'error', error: expect.stringContaining('was executed, but its output is lost') },
    ])
    expect(failed.executed).toEqual(['slow', 'quick'])

    const retried = await die({ onInterrupted: 'retry' }, 'slow', oneHasEnded)
    expect(await judgedAgent(retried.setup).resume(retried.runId)).toHaveText('Done.')
    expect(retried.executed).toEqual(['slow', 'quick', 'slow', 'quick'])
  })
})

test('a processor that suspends on an output, and whose process dies, is called again, and the call is not executed again', async () => {
  const waits: Processor['processToolResult'] = ({ output, suspend, resumeData }) =>
    resumeData === undefined ? suspend({ about: output }) : { output: `${output}, ${resumeData}` }
  // `slow` is the last, so that the processor waits while it executes.
  const died = await die(
    { calls: ['quick', 'slow'], judge: waits },
    'slow',
    ({ changes }) => changes.length >= 4,
  )
  expect(died.states).toEqual({ quick: 'finished', slow: 'started' })
  expect(died.stored).not.toContain('raw')
  const agent = judgedAgent({ ...died.setup, onInterrupted: 'fail' })
  const asked = await agent.resume(died.runId)
  expect(asked.suspension?.payload).toEqual({ about: 'clean quick' })
  const done = await agent.resume(asked.runId, 'approved')
  expect(done).toHaveText('Done.')
  expect(done.steps[0]?.toolResults).toMatchObject([{ output: 'clean quick, approved' }, { status: 'error' }])
  expect(died.executed).toEqual(['quick', 'slow'])
})
