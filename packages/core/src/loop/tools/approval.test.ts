import { collect, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import { tool as aiTool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { RunResult } from '../../results/result.ts'
import { TripWire } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import { tool } from '../../tools/tool.ts'

expect.extend(matchers)

const executed: unknown[] = []
const amount = z.object({ amount: z.number() })
const pay = tool({
  inputSchema: amount,
  execute: (input) => {
    executed.push(input)
    return `paid ${input.amount}`
  },
})

/** An agent whose model pays once for every amount, and then is done. */
function agentOf(amounts: number[], options: Partial<AgentOptions> = {}) {
  executed.length = 0
  const model = new ScriptedModel([amounts.map((amount) => toolCall('pay', { amount })), 'Done.'])
  const agent = new Agent({
    model,
    tools: { pay: { ...pay, needsApproval: true } },
    storage: new InMemoryRunStore(),
    ...options,
  })
  return { agent, model }
}

function idOf({ suspension }: RunResult): string {
  return suspension?.runId ?? ''
}

describe('who requests approval', () => {
  const forms: [string, Partial<AgentOptions>][] = [
    ['the tool', {}],
    ['the tool, by its input', { tools: { pay: { ...pay, needsApproval: ({ amount }) => amount > 10 } } }],
    [
      "a tool of the AI SDK's",
      {
        tools: {
          pay: aiTool({
            inputSchema: amount,
            needsApproval: async ({ amount }) => amount > 10,
            execute: pay.execute as never,
          }),
        },
      },
    ],
    ['the agent, by tool', { tools: { pay }, toolApproval: { pay: 'user-approval' } }],
    [
      'the agent, by tool and input',
      {
        tools: { pay },
        toolApproval: {
          pay: ({ amount }: { amount: number }) => (amount > 10 ? 'user-approval' : 'approved'),
        },
      },
    ],
    [
      'the agent, for every call',
      {
        tools: { pay },
        toolApproval: async ({ toolCall, tools, messages, requestContext }) => {
          expect([toolCall.toolName, Object.keys(tools), messages.length]).toEqual(['pay', ['pay'], 1])
          expect(requestContext.get('nothing')).toBeUndefined()
          return { type: 'user-approval', reason: 'It is much.' }
        },
      },
    ],
  ]

  test.each(forms)('%s: the run waits, and says for what', async (_, options) => {
    const { agent } = agentOf([20], options)
    const suspended = await agent.generate('Go')
    expect(suspended).toHaveStatus('suspended')
    expect(suspended.suspension).toMatchObject({
      processorId: undefined,
      hook: undefined,
      toolCallId: 'call-1',
      payload: {
        type: 'tool-approval',
        toolCalls: [{ toolCallId: 'call-1', toolName: 'pay', input: { amount: 20 } }],
      },
    })
    expect(suspended.messages[0]?.content.parts.at(-1)).toMatchObject({
      state: 'approval-requested',
      approval: { id: `${idOf(suspended)}:call-1` },
    })
    expect(executed).toEqual([])

    const result = await agent.resume(idOf(suspended), { approved: true })
    expect(result).toHaveText('Done.')
    expect(executed).toEqual([{ amount: 20 }])
  })

  test.each<[string, Partial<AgentOptions>]>([
    ['the agent says approved', { toolApproval: { pay: 'approved' } }],
    ['the agent says not-applicable', { toolApproval: { pay: 'not-applicable' } }],
    ['a function says nothing', { toolApproval: () => undefined }],
    ['the tool says no', { tools: { pay: { ...pay, needsApproval: false } } }],
    ['the tool’s function says no', { tools: { pay: { ...pay, needsApproval: () => false } } }],
  ])('nobody, where %s', async (_, options) => {
    const { agent } = agentOf([20], options)
    expect(await agent.generate('Go')).toHaveText('Done.')
    expect(executed).toEqual([{ amount: 20 }])
  })

  test('if the agent has no policy for this tool, the tool itself', async () => {
    const { agent } = agentOf([20], { toolApproval: { other: 'approved' } })
    expect(await agent.generate('Go')).toHaveStatus('suspended')
  })

  test('a policy may deny a call: the model sees it, and the run continues', async () => {
    const { agent, model } = agentOf([20, 5], {
      toolApproval: {
        pay: ({ amount }: { amount: number }) =>
          amount > 10 ? { type: 'denied', reason: 'Over the limit.' } : 'approved',
      },
    })
    expect(await agent.generate('Go')).toHaveText('Done.')
    expect(executed).toEqual([{ amount: 5 }])
    expect(model.lastPrompt[2]).toMatchObject({
      content: [
        { output: { type: 'execution-denied', reason: 'Over the limit.' } },
        { output: { type: 'text', value: 'paid 5' } },
      ],
    })
  })

  test('the input shown is the one that is executed, as the processors left it', async () => {
    const { agent } = agentOf([20], {
      processors: [{ id: 'cap', processToolCall: () => ({ input: { amount: 10 } }) }],
    })
    const suspended = await agent.generate('Go')
    expect(suspended.suspension?.payload).toMatchObject({ toolCalls: [{ input: { amount: 10 } }] })
    await agent.resume(idOf(suspended), { approved: true })
    expect(executed).toEqual([{ amount: 10 }])
  })

  test('no approval is requested for a call that a processor has answered', async () => {
    const { agent } = agentOf([20], {
      processors: [{ id: 'denier', processToolCall: () => ({ deny: 'no' }) }],
    })
    expect(await agent.generate('Go')).toHaveText('Done.')
  })

  test('a policy that throws fails the run; nothing is executed', async () => {
    const cause = new Error('policy is down')
    for (const options of [
      { toolApproval: () => Promise.reject(cause) },
      {
        toolApproval: () => {
          throw cause
        },
      },
      { tools: { pay: { ...pay, needsApproval: () => Promise.reject(cause) } } },
    ]) {
      const { agent } = agentOf([20], options)
      await expect(agent.generate('Go')).rejects.toMatchObject({
        code: 'TOOL_APPROVAL_FAILED',
        message: expect.stringContaining("'pay'"),
        cause,
      })
      expect(executed).toEqual([])
    }
  })

  test('a policy may end the run with a signal', async () => {
    const { agent } = agentOf([20], {
      toolApproval: () => {
        throw new TripWire('Closed today.')
      },
    })
    expect(await agent.generate('Go')).toMatchObject({
      status: 'tripwire',
      rejection: { reason: 'Closed today.' },
    })
    expect(executed).toEqual([])
  })
})

describe('the answer', () => {
  test('approves: the call executes exactly once', async () => {
    const { agent } = agentOf([20])
    const suspended = await agent.generate('Go')
    await agent.resume(idOf(suspended), { approved: true })
    await expect(agent.resume(idOf(suspended), { approved: true })).rejects.toMatchObject({
      code: 'RUN_ALREADY_RESUMED',
    })
    expect(executed).toEqual([{ amount: 20 }])
  })

  test('rejects: a denial the model sees, in the stream, the result and the transcript', async () => {
    const { agent, model } = agentOf([20])
    const suspended = await agent.generate('Go')
    const resumed = agent.resume(idOf(suspended), { approved: false, reason: 'Not today.' })
    const chunks = await collect(resumed.fullStream)
    const result = await resumed
    expect(result).toHaveText('Done.')
    expect(executed).toEqual([])
    expect(chunks.filter(({ type }) => type === 'tool-denied')).toMatchObject([{ reason: 'Not today.' }])
    expect(result.steps[0]?.toolResults).toMatchObject([{ status: 'denied', reason: 'Not today.' }])
    expect(result.messages[0]?.content.parts).toContainEqual(
      expect.objectContaining({
        state: 'output-denied',
        approval: { id: `${idOf(suspended)}:call-1`, approved: false, reason: 'Not today.' },
      }),
    )
    expect(model.lastPrompt[2]).toMatchObject({
      content: [{ output: { type: 'execution-denied', reason: 'Not today.' } }],
    })
  })

  test('may differ by call', async () => {
    const { agent } = agentOf([1, 2, 3])
    const suspended = await agent.generate('Go')
    expect(suspended.suspension?.payload).toMatchObject({ toolCalls: [{}, {}, {}] })
    const result = await agent.resume(idOf(suspended), {
      'call-1': { approved: true },
      'call-2': { approved: false },
      'call-3': { approved: true },
    })
    expect(executed).toEqual([{ amount: 1 }, { amount: 3 }])
    expect(result.steps[0]?.toolResults.map(({ status }) => status)).toEqual(['success', 'denied', 'success'])
  })

  test('may be for all calls at once', async () => {
    const { agent } = agentOf([1, 2, 3])
    const suspended = await agent.generate('Go')
    await agent.resume(idOf(suspended), { approved: true, all: true })
    expect(executed).toHaveLength(3)
  })

  test('may be partial: the run waits again for the rest, and none has executed before', async () => {
    const { agent } = agentOf([1, 2])
    const first = await agent.generate('Go')
    const second = await agent.resume(idOf(first), { 'call-2': { approved: true } })
    expect(second).toHaveStatus('suspended')
    expect(second.suspension?.payload).toMatchObject({ toolCalls: [{ toolCallId: 'call-1' }] })
    expect(executed).toEqual([])
    const result = await agent.resume(idOf(second), { approved: false })
    expect(executed).toEqual([{ amount: 2 }])
    expect(result.messages).toPairEveryToolCall()
  })

  const misfits: [string, unknown][] = [
    ['nothing', undefined],
    ['null', null],
    ['true', true],
    ['a text', 'yes'],
    ['an empty object', {}],
    ['a list', [{ approved: true }]],
    ['approved as text', { approved: 'true' }],
    ['a misspelt call', { 'call-9': { approved: true } }],
    ['a response that is none', { 'call-1': true }],
    ['one of several that is none', { 'call-1': { approved: true }, 'call-2': 'yes' }],
    ['one answer, not said for which', { approved: true }],
    ['one answer with the id of a call beside it', { approved: true, toolCallId: 'call-2' }],
    ['one answer with ids of calls beside it', { approved: true, toolCallIds: ['call-2'] }],
    ['one answer with a call beside it', { approved: true, 'call-2': { approved: true } }],
    ['a misspelt call beside one that waits', { 'call-1': { approved: true }, 'call-9': { approved: true } }],
    ['a key that is unknown in an answer', { 'call-1': { approve: true } }],
    ['an unknown key beside a decision', { 'call-1': { approved: true, amount: 5 } }],
    ['a reason that is no text', { 'call-1': { approved: false, reason: 5 } }],
    ['an input of a denied call', { 'call-1': { approved: false, input: { amount: 1 } } }],
    ['one input for all calls', { approved: true, all: true, input: { amount: 1 } }],
    ['all that is not true', { approved: true, all: 'yes' }],
    ['an id that every object inherits', { constructor: { approved: true } }],
    ['a prototype', JSON.parse('{"__proto__":{"approved":true}}')],
  ]
  test.each(misfits)('that does not match changes nothing: %s', async (_, data) => {
    const { agent } = agentOf([1, 2])
    const suspended = await agent.generate('Go')
    await expect(agent.resume(idOf(suspended), data)).rejects.toMatchObject({ code: 'RUN_RESUME_INVALID' })
    expect(executed).toEqual([])
    expect(await agent.resume(idOf(suspended), { approved: true, all: true })).toHaveText('Done.')
    expect(executed).toHaveLength(2)
  })

  test('is requested from the policy once: a resumed run does not ask again', async () => {
    let asked = 0
    const { agent } = agentOf([20], {
      toolApproval: () => {
        asked++
        return 'user-approval'
      },
    })
    await agent.resume(idOf(await agent.generate('Go')), { approved: true })
    expect(asked).toBe(1)
  })
})
