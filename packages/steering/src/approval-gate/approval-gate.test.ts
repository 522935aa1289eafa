import { Agent, type Processor, RequestContext, type Suspension, tool } from '@millrace/core'
import { waitingCallsOf } from '@millrace/core/recording'
import { InMemoryRunStore } from '@millrace/core/storage'
import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { ApprovalGate, type ApprovalGateOptions } from './approval-gate.ts'

expect.extend(matchers)

let executed: unknown[] = []
beforeEach(() => {
  executed = []
})
afterEach(() => {
  vi.useRealTimers()
})

const transfer = (metadata: Record<string, never> | Record<string, boolean> = {}) =>
  tool({
    inputSchema: z.object({ amount: z.number().max(1_000) }),
    metadata,
    execute: (input) => {
      executed.push(input)
      return `paid ${input.amount}`
    },
  })

function build({
  script = [toolCall('pay', { amount: 20 }), 'Answer'],
  storage = new InMemoryRunStore(),
  ...options
}: ApprovalGateOptions & {
  script?: ConstructorParameters<typeof ScriptedModel>[0]
  storage?: InMemoryRunStore
} = {}) {
  const model = new ScriptedModel(script)
  const gate = new ApprovalGate({ tools: ['pay'], ...options })
  const tools = {
    pay: transfer(),
    peek: transfer(),
    wipe: transfer({ dangerous: true }),
    drop: transfer({ destructiveHint: true }),
  }
  return { model, storage, agent: new Agent({ model, tools, storage, processors: [gate] }) }
}

async function suspend(options?: Parameters<typeof build>[0]) {
  const built = build(options)
  const result = await built.agent.generate('Pay', { threadId: 'thread-1', resourceId: 'user-1' })
  expect(result).toHaveStatus('suspended')
  expect(executed).toEqual([])
  return { ...built, suspension: result.suspension as Suspension }
}

test('executes an approved call once, and no call before it is approved', async () => {
  const { suspension, model } = await suspend()
  expect(suspension).toMatchObject({
    processorId: undefined,
    hook: undefined,
    toolCallId: 'call-1',
    payload: {
      type: 'tool-approval',
      toolCalls: [{ toolCallId: 'call-1', toolName: 'pay', input: { amount: 20 } }],
    },
  })
  const result = await suspension.resume({ approved: true })
  expect(result).toHaveText('Answer')
  expect(executed).toEqual([{ amount: 20 }])
  expect(model.callCount).toBe(2)
  expect(model.lastPrompt).toPairEveryToolCall()
  await expect(suspension.resume({ approved: true })).rejects.toMatchObject({ code: 'RUN_ALREADY_RESUMED' })
})

test('tells the model why a call was rejected', async () => {
  const { suspension, model } = await suspend()
  const result = await suspension.resume({ approved: false, reason: 'Too late in the month.' })
  expect(result).toBeCompleted()
  expect(executed).toEqual([])
  expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'denied', reason: 'Too late in the month.' }])
  expect(model.lastPrompt).toPairEveryToolCall()
})

test('executes with the input of the approver, which is validated', async () => {
  const edited = await suspend()
  await edited.suspension.resume({ approved: true, input: { amount: 5 } })
  expect(executed).toEqual([{ amount: 5 }])

  executed = []
  const invalid = await suspend()
  const result = await invalid.suspension.resume({ approved: true, input: { amount: 5_000 } })
  expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'error' }])
  expect(executed).toEqual([])
})

test.each([
  undefined,
  'yes',
  { approved: 'yes' },
  { approve: true },
  { 'call-9': { approved: true } },
  [['yes']],
])('refuses %j, which is not an answer, and waits on', async (data) => {
  const { suspension, agent } = await suspend()
  await expect(suspension.resume(data)).rejects.toMatchObject({
    code: 'RUN_RESUME_INVALID',
    message: expect.stringContaining("'call-1' (pay) for { approved, reason?, input? }"),
  })
  expect(await agent.suspendedRuns({ threadId: 'thread-1', resourceId: 'user-1' })).toHaveLength(1)
  expect(await suspension.resume({ approved: true })).toHaveText('Answer')
  expect(executed).toEqual([{ amount: 20 }])
})

test('asks with the payload of a tool that needs approval itself', async () => {
  const { suspension } = await suspend()
  const agent = new Agent({
    model: new ScriptedModel([toolCall('pay', { amount: 20 }), 'Answer']),
    tools: { pay: { ...transfer(), needsApproval: true } },
  })
  const own = await agent.generate('Pay')
  expect(suspension.payload).toEqual(own.suspension?.payload)
})

test('asks about all calls of a step at once, and executes none before all are decided', async () => {
  const script = [
    [
      toolCall('pay', { amount: 1 }),
      toolCall('peek', { amount: 2 }),
      toolCall('pay', { amount: 3 }),
      toolCall('pay', { amount: 4 }),
    ],
    'Answer',
  ]
  const waitsFor = (payload: unknown) => waitingCallsOf(payload).map(({ toolCallId }) => toolCallId)

  const all = await suspend({ script })
  expect(waitsFor(all.suspension.payload)).toEqual(['call-1', 'call-3', 'call-4'])
  const result = await all.suspension.resume({
    'call-1': { approved: true, input: { amount: 9 } },
    'call-3': { approved: false },
    'call-4': { approved: true },
  })
  expect(executed).toEqual([{ amount: 9 }, { amount: 2 }, { amount: 4 }])
  expect(result.steps[0]?.toolResults.map(({ status }) => status)).toEqual([
    ...['success', 'success', 'denied', 'success'],
  ])
  expect(result.messages).toPairEveryToolCall()

  executed = []
  const some = await suspend({ script })
  const second = await some.suspension.resume({ 'call-3': { approved: true } })
  expect(waitsFor(second.suspension?.payload)).toEqual(['call-1', 'call-4'])
  const third = await second.suspension?.resume({ 'call-1': { approved: true } })
  expect(waitsFor(third?.suspension?.payload)).toEqual(['call-4'])
  expect(executed).toEqual([])
  expect(await third?.suspension?.resume({ approved: false })).toHaveText('Answer')
  expect(executed).toEqual([{ amount: 1 }, { amount: 2 }, { amount: 3 }])

  executed = []
  const common = await suspend({ script })
  for (const input of [{}, { input: { amount: 9 } }])
    await expect(common.suspension.resume({ approved: true, ...input })).rejects.toMatchObject({
      code: 'RUN_RESUME_INVALID',
    })
  await common.suspension.resume({ approved: true, all: true })
  expect(executed).toEqual([1, 2, 3, 4].map((amount) => ({ amount })))
})

test('shows the input that processors after it leave, and executes that', async () => {
  const raises: Processor = {
    id: 'raises',
    processToolCall: ({ toolCall }) =>
      toolCall.toolCallId === 'call-2' ? { input: { amount: 500 } } : undefined,
  }
  const model = new ScriptedModel([
    [toolCall('pay', { amount: 1 }), toolCall('pay', { amount: 2 })],
    'Answer',
  ])
  const agent = new Agent({
    model,
    tools: { pay: transfer() },
    processors: [new ApprovalGate({ tools: ['pay'] }), raises],
  })
  const first = await agent.generate('Pay')
  expect(first.suspension?.payload).toMatchObject({
    toolCalls: [{ input: { amount: 1 } }, { toolCallId: 'call-2', input: { amount: 500 } }],
  })
  expect(await first.suspension?.resume({ approved: true, all: true })).toHaveText('Answer')
  expect(executed).toEqual([{ amount: 1 }, { amount: 500 }])
})

test('does not ask in advance about calls that cannot run', async () => {
  const tools = { pay: ({ amount }: { amount: number }) => amount.toFixed(0) !== '0', peek: true as const }
  const script = [
    [
      toolCall('pay', { amount: 1 }),
      toolCall('pay', { sum: 2 }),
      toolCall('pay', {}, { rawInput: '{"amount":' }),
      toolCall('unknown', { amount: 3 }),
    ],
    'Answer',
  ]
  const { suspension } = await suspend({ tools, script })
  expect(suspension.payload).toMatchObject({ toolCalls: [{ toolCallId: 'call-1' }] })
  expect(waitingCallsOf(suspension.payload)).toHaveLength(1)
  const result = await suspension.resume({ approved: true })
  expect(result.steps[0]?.toolResults.map(({ status }) => status)).toEqual([
    'success',
    'error',
    'error',
    'error',
  ])
})

test('asks if a rule about the input says so, and passes on its reason', async () => {
  const tools = { pay: ({ amount }: { amount: number }) => amount > 100 && 'A large amount.' }
  const small = build({ tools })
  expect(await small.agent.generate('Pay')).toBeCompleted()
  const script = [toolCall('pay', { amount: 500 }), 'Answer']
  executed = []
  const { suspension } = await suspend({ tools, script })
  expect(suspension.payload).toMatchObject({ toolCalls: [{ reason: 'A large amount.' }] })
})

test.each([[''], [null], [0]])('asks unless a rule returns false or undefined: %j', async (answer) => {
  await suspend({ tools: { pay: () => answer as never } })
})

test('asks by default about tools that declare themselves dangerous', async () => {
  const script = [
    toolCall('peek', { amount: 1 }),
    toolCall('drop', { amount: 2 }),
    toolCall('wipe', { amount: 3 }),
    'Answer',
  ]
  const { agent } = build({ tools: undefined as never, script })
  const first = await agent.generate('Go')
  expect(executed).toEqual([{ amount: 1 }])
  expect(first.suspension?.toolCallId).toBe('call-2')
  const second = await first.suspension?.resume({ approved: true })
  expect(second?.suspension?.toolCallId).toBe('call-3')
})

test('denies calls if there is no approver', async () => {
  for (const interactive of [false, () => false, async () => undefined as never]) {
    const { agent } = build({ interactive })
    const { steps } = await agent.generate('Pay')
    expect(steps[0]?.toolResults).toMatchObject([
      { status: 'denied', reason: 'The call needs an approval, and no approver is available.' },
    ])
  }
  const { agent } = build({ interactive: (context) => context.get('channel') === 'chat' })
  const requestContext = new RequestContext({ channel: 'chat' })
  expect(await agent.generate('Pay', { requestContext })).toHaveStatus('suspended')
  expect(executed).toEqual([])
})

test('treats a late answer as a denial, and no answer after the time limit as well', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  const { suspension, agent } = await suspend({ timeLimit: 60_000 })
  expect(suspension.payload).toMatchObject({ toolCalls: [{ expiresAt: 60_000 }] })
  vi.setSystemTime(59_999)
  await expect(suspension.resume()).rejects.toMatchObject({ code: 'RUN_RESUME_INVALID' })
  vi.setSystemTime(60_000)
  const [waiting] = await agent.suspendedRuns({ resourceId: 'user-1' })
  const result = await agent.resume(waiting?.runId ?? '', { approved: true }, { resourceId: 'user-1' })
  expect(result.steps[0]?.toolResults).toMatchObject([
    { status: 'denied', reason: 'The call was not approved in time.' },
  ])

  const sweep = await suspend({ timeLimit: 60_000 })
  vi.setSystemTime(120_000)
  expect(await sweep.suspension.resume()).toHaveText('Answer')
  expect(executed).toEqual([])
})

test('survives a restart, is listed, and expires with the run', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0 })
  const { suspension, storage } = await suspend()
  const restarted = build({ storage, script: ['Answer'] }).agent
  expect(await restarted.suspendedRuns({ threadId: 'thread-1', resourceId: 'user-1' })).toMatchObject([
    { runId: suspension.runId, toolCallId: 'call-1', payload: { type: 'tool-approval' } },
  ])
  expect(await restarted.resume(suspension.runId, { approved: true }, { resourceId: 'user-1' })).toHaveText(
    'Answer',
  )
  expect(executed).toEqual([{ amount: 20 }])

  executed = []
  const forgotten = await suspend()
  vi.setSystemTime(24 * 60 * 60 * 1_000)
  await expect(forgotten.suspension.resume({ approved: true })).rejects.toMatchObject({ code: 'RUN_EXPIRED' })
  expect(executed).toEqual([])
})

test('is shown and answered in a chat like approvals of the agent', async () => {
  const { agent } = build()
  const ids = { threadId: 'thread-1', resourceId: 'user-1' }
  const question = { id: 'u-1', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Pay' }] }
  const chunks = await collect(agent.stream([question], ids).toUIMessageStream())
  const request = chunks.find(({ type }) => type === 'tool-approval-request') as { approvalId: string }
  const answer = {
    id: 'a-1',
    role: 'assistant' as const,
    parts: [
      {
        type: 'tool-pay' as const,
        toolCallId: 'call-1',
        state: 'approval-responded' as const,
        input: { amount: 999 },
        approval: { id: request.approvalId, approved: true },
      },
    ],
  }
  const result = await agent.stream([question, answer], ids).result
  expect(result).toHaveText('Answer')
  expect(executed).toEqual([{ amount: 20 }])
})

test('keeps the calls of concurrently suspended runs apart', async () => {
  const script = (_: unknown, index: number) =>
    index < 3 ? toolCall('pay', { amount: index + 1 }) : `Answer ${index}`
  const { agent } = build({ script })
  const waiting = await Promise.all([1, 2, 3].map(() => agent.generate('Pay')))
  await Promise.all(waiting.map(({ suspension }, index) => suspension?.resume({ approved: index !== 1 })))
  expect(executed).toHaveLength(2)
})

test('fails the run if a rule throws, and rejects invalid rules', async () => {
  const tools = () => {
    throw new Error('The policy service is down.')
  }
  await expect(build({ tools }).agent.generate('Pay')).rejects.toMatchObject({ code: 'PROCESSOR_FAILED' })
  expect(executed).toEqual([])
  expect(() => new ApprovalGate({ tools: { pay: 'always' } as never })).toThrow(
    "tools has string for the tool 'pay'",
  )
  expect(() => new ApprovalGate({ timeLimit: 0 })).toThrow(
    'timeLimit is 0. Use a number of milliseconds above 0.',
  )
})
