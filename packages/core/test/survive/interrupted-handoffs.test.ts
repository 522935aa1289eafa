import { Agent, type AgentToolOptions, isToolPart, type RunStore, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { MortalStore, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
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

type Turn = ConstructorParameters<typeof ScriptedModel>[0]

interface Setup {
  storage: RunStore
  checkpoint: 'suspend' | 'step'
  /** Payments of `billing`. */
  paid: string[]
  onInterrupted?: AgentToolOptions['onInterrupted']
  /** The model of `support`. */
  script: Turn
  /** What `billing` says once it has paid. */
  answer?: () => unknown
}

/** `support` asks before it opens a case, and hands off to `billing`, which pays. */
function support({ storage, checkpoint, paid, onInterrupted, script, answer = () => 'Paid.' }: Setup) {
  const pay = tool({ inputSchema: z.object({}), execute: () => paid.push('pay') })
  const billing = new Agent({
    name: 'billing',
    model: new ScriptedModel(({ prompt }) =>
      prompt.some(({ role }) => role === 'tool') ? (answer() as string) : toolCall('pay', {}, { id: 'pay' }),
    ),
    tools: { pay },
  })
  const open = tool({ inputSchema: z.object({}), needsApproval: true, execute: () => 'opened' })
  const model = new ScriptedModel(script)
  const transfer = billing.asTool({ handoff: true, onInterrupted })
  return {
    model,
    agent: new Agent({ name: 'support', model, storage, checkpoint, tools: { open, transfer } }),
  }
}

const opens = toolCall('open', {}, { id: 'open' })
const transfers = toolCall('transfer', { prompt: 'Pay.' }, { id: 'transfer' })

/** A run that was handed off, and whose process died while the agent it was handed to was at work. */
async function dieInTurn(given: Pick<Setup, 'checkpoint' | 'onInterrupted'>) {
  const store = new InMemoryRunStore()
  const paid: string[] = []
  const mortal = new MortalStore(store)
  const setup = { ...given, storage: store, paid }
  const waiting = await support({ ...setup, script: [opens] }).agent.generate('Pay', { threadId: 'thread' })
  support({ ...setup, storage: mortal.storage, script: [transfers], answer: () => mortal.kill() })
    .agent.resume(waiting.runId, { approved: true })
    .catch(() => {})
  await mortal.died
  expect(paid).toEqual(['pay'])
  vi.advanceTimersByTime(LEASE)
  const [run] = await store.listRuns({ threadId: 'thread' })
  return { paid, setup, run, runId: run?.runId ?? '' }
}

test.each(['suspend', 'step'] as const)(
  'a turn whose process died is listed, and is not started again without an answer: checkpoint %s',
  async (checkpoint) => {
    const { paid, setup, run, runId } = await dieInTurn({ checkpoint })
    expect(run?.interrupted?.calls).toContainEqual(
      expect.objectContaining({ toolCallId: 'transfer', state: 'started' }),
    )
    const { agent, model } = support({ ...setup, script: ['It was paid.'] })
    const asked = await agent.resume(runId)
    expect(asked.suspension?.payload).toMatchObject({
      type: 'tool-interrupted',
      toolCalls: [{ toolCallId: 'transfer', toolName: 'transfer', input: { prompt: 'Pay.' } }],
    })
    expect([paid, model.callCount]).toEqual([['pay'], 0])
    const done = await agent.resume(asked.runId, { output: 'It has paid.' })
    expect(done).toHaveText('It was paid.')
    expect(paid).toEqual(['pay'])
    const calls = done.messages.flatMap(({ content }) => content.parts.filter(isToolPart))
    expect(calls).toMatchObject([{ output: 'opened' }, { output: 'It has paid.' }])
  },
)

test.each(['suspend', 'step'] as const)(
  'the agent it was handed to has the turn again if that is requested, and no other: checkpoint %s',
  async (checkpoint) => {
    const told = await dieInTurn({ checkpoint })
    const { agent, model } = support({ ...told.setup, script: [] })
    const asked = await agent.resume(told.runId)
    const again = await agent.resume(asked.runId, { retry: true })
    expect(again).toHaveText('Paid.')
    expect(again.steps.at(-1)?.agentName).toBe('billing')
    expect(model.callCount).toBe(0)

    const retried = await dieInTurn({ checkpoint, onInterrupted: 'retry' })
    const own = support({ ...retried.setup, script: [] })
    expect(await own.agent.resume(retried.runId)).toHaveText('Paid.')
    expect([own.model.callCount, retried.paid]).toEqual([0, ['pay', 'pay']])
  },
)

test('the agent that handed off gets an error if the tool has fail', async () => {
  const { paid, setup, runId } = await dieInTurn({ checkpoint: 'suspend', onInterrupted: 'fail' })
  const done = await support({ ...setup, script: ['I shall find out.'] }).agent.resume(runId)
  expect(done).toHaveText('I shall find out.')
  expect(done.steps.at(-2)?.toolResults).toMatchObject([
    { status: 'error', error: expect.stringContaining('may or may not have been executed') },
  ])
  expect(paid).toEqual(['pay'])
})

test('a turn of a run that has never waited is in its journal too, if every step is stored', async () => {
  const store = new InMemoryRunStore()
  const paid: string[] = []
  const mortal = new MortalStore(store)
  const setup = { checkpoint: 'step', storage: store, paid } as const
  support({ ...setup, storage: mortal.storage, script: [transfers], answer: () => mortal.kill() })
    .agent.generate('Pay', { threadId: 'thread' })
    .catch(() => {})
  await mortal.died
  vi.advanceTimersByTime(LEASE)
  const [run] = await store.listRuns({ threadId: 'thread' })
  expect(run?.interrupted?.calls).toMatchObject([{ toolCallId: 'transfer', state: 'started' }])
  const { agent } = support({ ...setup, script: ['It was paid.'] })
  const asked = await agent.resume(run?.runId ?? '')
  expect(asked.suspension?.payload).toMatchObject({ type: 'tool-interrupted' })
  expect(await agent.resume(asked.runId, { output: 'It has paid.' })).toHaveText('It was paid.')
  expect(paid).toEqual(['pay'])
})
