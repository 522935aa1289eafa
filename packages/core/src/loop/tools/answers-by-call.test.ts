import { MortalStore, ScriptedModel, toolCall } from '@millrace/testing'
import { matchers } from '@millrace/testing/matchers'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { Agent } from '../../agent/agent.ts'
import type { AgentOptions } from '../../agent/agent-options.ts'
import type { Processor } from '../../processors/processor.ts'
import type { RunResult } from '../../results/result.ts'
import { Suspend } from '../../signals.ts'
import { InMemoryRunStore } from '../../storage/in-memory-run-store.ts'
import type { RunStore } from '../../storage/run-store.ts'
import { type Tool, tool } from '../../tools/tool.ts'
import { waitingCallsOf } from '../../tools/waiting-calls.ts'
import type { AnswerInQuestion } from '../suspension/may-answer.ts'

expect.extend(matchers)

/** An agent whose model calls these tools at once, and then is done. */
function scene(
  calls: readonly { name: string; id: string; input?: object }[],
  options: Partial<AgentOptions> = {},
) {
  const executed: [id: string, input: unknown, idempotencyKey?: string][] = []
  const storage = options.storage ?? new InMemoryRunStore()
  const anything = z.object({ amount: z.number().max(1_000).optional() }).loose()
  const acts = (more: Partial<Tool> = {}): Tool => ({
    ...tool({
      inputSchema: anything,
      execute: (input, { toolCallId }) => {
        executed.push([toolCallId, input])
        return `did ${toolCallId}`
      },
    }),
    ...more,
  })
  const tools = {
    pay: acts({ needsApproval: true }),
    act: acts(),
    locate: { inputSchema: anything },
    ask: tool({
      inputSchema: anything,
      execute: (_, { resumeData, toolCallId }) => {
        if (resumeData === undefined) throw new Suspend({ about: toolCallId })
        executed.push([toolCallId, resumeData])
        return resumeData
      },
    }),
  }
  const build = (more: Partial<AgentOptions> = {}) =>
    new Agent({
      model: new ScriptedModel(({ prompt }) =>
        prompt.some(({ role }) => role === 'tool')
          ? 'Done.'
          : calls.map(({ name, id, input = {} }) => toolCall(name, input, { id })),
      ),
      tools,
      storage,
      ...options,
      ...more,
    })
  return { build, agent: build(), executed, storage }
}

const pays = (...amounts: number[]) =>
  amounts.map((amount, index) => ({ name: 'pay', id: `call-${index + 1}`, input: { amount } }))

const idsOf = ({ suspension }: RunResult) =>
  waitingCallsOf(suspension?.payload).map(({ toolCallId }) => toolCallId)

const inputsIn = ({ messages, steps }: RunResult) => [
  messages.flatMap(({ content }) => content.parts.flatMap((part) => ('input' in part ? [part.input] : []))),
  steps[0]?.toolCalls.map(({ input }) => input),
  steps[0]?.toolResults.map(({ input }) => input),
]

const INVALID = { code: 'RUN_RESUME_INVALID' }

describe('an input of the approver', () => {
  const asks: Processor = { id: 'asks', processToolCall: () => ({ needsApproval: {} }) }
  const askers: [string, Partial<AgentOptions>][] = [
    ['the tool asks', {}],
    ['the agent asks', { toolApproval: { pay: 'user-approval' } }],
    ['a processor asks', { toolApproval: { pay: 'approved' }, processors: [asks] }],
  ]
  test.each(askers)('is what executes and what is recorded where %s', async (_, options) => {
    const { agent, executed } = scene(pays(500), options)
    const asked = await agent.generate('Pay')
    const done = await agent.resume(asked.runId, { approved: true, input: { amount: 5 } })
    expect(done).toHaveText('Done.')
    expect(executed).toEqual([['call-1', { amount: 5 }]])
    expect(inputsIn(done)).toEqual([[{ amount: 5 }], [{ amount: 5 }], [{ amount: 5 }]])
  })

  test('executes neither an edited input that is not valid nor the one that was shown', async () => {
    const { agent, executed } = scene(pays(500))
    const asked = await agent.generate('Pay')
    const done = await agent.resume(asked.runId, { approved: true, input: { amount: 5_000 } })
    expect(done.steps[0]?.toolResults).toMatchObject([{ status: 'error' }])
    expect(executed).toEqual([])
  })

  test('passes the processors again, which may deny it', async () => {
    const seen: unknown[] = []
    const limit: Processor = {
      id: 'limit',
      processToolCall: ({ toolCall }) => {
        seen.push(toolCall.input)
        return (toolCall.input as { amount: number }).amount > 600 ? { deny: 'Too much.' } : undefined
      },
    }
    const { agent, executed } = scene(pays(500), { processors: [limit] })
    const asked = await agent.generate('Pay')
    const done = await agent.resume(asked.runId, { approved: true, input: { amount: 900 } }, { by: 'ada' })
    expect(done.steps[0]?.toolResults).toMatchObject([{ status: 'denied', reason: 'Too much.' }])
    expect(seen).toEqual([{ amount: 500 }, { amount: 900 }])
    expect(executed).toEqual([])
  })

  test('passes the policy again, which may deny it', async () => {
    const { agent, executed } = scene(pays(500), {
      toolApproval: {
        pay: ({ amount }: { amount: number }) => (amount > 600 ? 'denied' : 'user-approval'),
      },
    })
    const asked = await agent.generate('Pay')
    const done = await agent.resume(asked.runId, { approved: true, input: { amount: 900 } })
    expect(done.steps[0]?.toolResults).toMatchObject([{ status: 'denied' }])
    expect(executed).toEqual([])
  })

  test('asks again under another id if a processor changes an edited input', async () => {
    const cap: Processor = {
      id: 'cap',
      processToolCall: ({ toolCall }) =>
        (toolCall.input as { amount: number }).amount > 600 ? { input: { amount: 600 } } : undefined,
    }
    const { agent, executed } = scene(pays(500), { processors: [cap] })
    const first = await agent.generate('Pay')
    const second = await agent.resume(first.runId, { approved: true, input: { amount: 900 } }, { by: 'ada' })
    expect(second.suspension?.payload).toMatchObject({ toolCalls: [{ input: { amount: 600 } }] })
    expect(second.runId).not.toBe(first.runId)
    await expect(agent.resume(first.runId, { approved: true })).rejects.toMatchObject({
      code: 'RUN_ALREADY_RESUMED',
    })
    expect(executed).toEqual([])
    const done = await agent.resume(second.runId, { approved: true }, { by: 'ben' })
    expect(executed).toEqual([['call-1', { amount: 600 }]])
    expect(done.steps[0]?.toolResults).toMatchObject([{ decidedBy: 'ben' }])
    expect(inputsIn(done)).toEqual([[{ amount: 600 }], [{ amount: 600 }], [{ amount: 600 }]])
  })

  test('goes through processExecution, as any input', async () => {
    const seals: Processor = {
      id: 'seals',
      processExecution: ({ direction, value }) =>
        direction === 'in' && (value as { to?: string }).to === '$1'
          ? { value: { to: 'ada@example.com' } }
          : undefined,
    }
    const { agent, executed } = scene([{ name: 'pay', id: 'a', input: { to: 'nobody' } }], {
      processors: [seals],
    })
    const asked = await agent.generate('Pay')
    const done = await agent.resume(asked.runId, { approved: true, input: { to: '$1' } })
    expect(executed).toEqual([['a', { to: 'ada@example.com' }]])
    expect([done.messages, done.steps]).toLeakNothingOf('ada@example.com')
  })

  test('keeps an edited input over a crash, and does not execute the one that was shown', async () => {
    const { build, executed, storage } = scene(pays(500), { runLease: 10 })
    const asked = await build().generate('Pay')
    const mortal = new MortalStore(storage, { change: 1, when: 'after' })
    build({ storage: mortal.storage })
      .resume(asked.runId, { approved: true, input: { amount: 5 } })
      .catch(() => {})
    await mortal.died
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    try {
      await expect(build().resume(asked.runId)).rejects.toMatchObject(INVALID)
      await build().resume(asked.runId, { approved: true, input: { amount: 5 } })
    } finally {
      vi.useRealTimers()
    }
    expect(executed).toEqual([['call-1', { amount: 5 }]])
  })
})

describe('answers to some of the calls', () => {
  test('keeps answers to some of the calls, and waits for the rest under the same id', async () => {
    const { build, executed } = scene(pays(1, 2, 3))
    const { runId } = await build().generate('Pay')
    const second = await build().resume(runId, { 'call-2': { approved: true, input: { amount: 20 } } })
    expect([second.runId, second.suspension?.runId]).toEqual([runId, runId])
    expect(idsOf(second)).toEqual(['call-1', 'call-3'])
    const third = await build().resume(runId, { 'call-3': { approved: false, reason: 'No.' } })
    expect(idsOf(third)).toEqual(['call-1'])
    expect(executed).toEqual([])
    const [listed] = await build().suspendedRuns()
    expect(waitingCallsOf(listed?.payload)).toHaveLength(1)
    const done = await build().resume(runId, { approved: true })
    expect(executed).toEqual([
      ['call-1', { amount: 1 }],
      ['call-2', { amount: 20 }],
    ])
    expect(done.steps[0]?.toolResults.map(({ status }) => status)).toEqual(['success', 'success', 'denied'])
    expect(done.messages).toPairEveryToolCall()
    await expect(build().resume(runId, { approved: true })).rejects.toMatchObject({
      code: 'RUN_ALREADY_RESUMED',
    })
  })

  test('refuses a second answer to a call, and changes nothing', async () => {
    const { agent, executed } = scene(pays(1, 2))
    const { runId } = await agent.generate('Pay')
    await agent.resume(runId, { 'call-1': { approved: false } })
    for (const answer of [{ approved: true }, { approved: false }])
      for (const more of [{}, { 'call-2': { approved: true } }])
        await expect(agent.resume(runId, { 'call-1': answer, ...more })).rejects.toMatchObject({
          ...INVALID,
          message: expect.stringContaining("The call 'call-1' does not wait, or was answered before."),
        })
    await agent.resume(runId, { approved: true })
    expect(executed).toEqual([['call-2', { amount: 2 }]])
  })

  test('takes answers of two approvers at once one after the other, and loses none without an error', async () => {
    const { build, executed } = scene(pays(1, 2))
    const { runId } = await build().generate('Pay')
    const answers = [{ 'call-1': { approved: true } }, { 'call-2': { approved: true } }]
    const settled = await Promise.allSettled(answers.map((answer) => build().resume(runId, answer)))
    const refused = settled.flatMap((one, index) => (one.status === 'rejected' ? [index] : []))
    for (const index of refused) {
      expect(settled[index]).toMatchObject({ reason: { code: 'RUN_ALREADY_RESUMED' } })
      await build().resume(runId, answers[index])
    }
    expect(executed).toHaveLength(2)
  })

  test('executes at most what one of two contradicting answers says', async () => {
    for (let round = 0; round < 5; round++) {
      const { build, executed } = scene(pays(1))
      const { runId } = await build().generate('Pay')
      const settled = await Promise.allSettled(
        [true, false, true].map((approved) => build().resume(runId, { 'call-1': { approved } })),
      )
      const taken = settled.filter(({ status }) => status === 'fulfilled')
      expect(taken).toHaveLength(1)
      expect(executed.length).toBeLessThanOrEqual(1)
    }
  })
})

test('stores the reason of a denial only after the processors have reviewed it', async () => {
  const hides: Processor = {
    id: 'hides',
    processToolResult: ({ error }) => (error === 'a secret' ? { error: 'hidden' } : undefined),
  }
  const { build, storage } = scene(pays(1, 2), { processors: [hides] })
  const { runId } = await build().generate('Pay')
  await build().resume(runId, { 'call-1': { approved: false, reason: 'a secret' } })
  expect(JSON.stringify(await storage.getRun(runId))).not.toContain('a secret')
  const done = await build().resume(runId, { approved: true })
  expect(done.steps[0]?.toolResults).toMatchObject([
    { status: 'denied', reason: 'hidden' },
    { status: 'success' },
  ])
})

describe('calls that wait for different things', () => {
  const CALLS = [
    { name: 'act', id: 'a' },
    { name: 'ask', id: 'b' },
    { name: 'locate', id: 'c' },
    { name: 'ask', id: 'd' },
  ]

  test('lists all waiting calls at once, and takes each answer under its id', async () => {
    const { agent, executed } = scene(CALLS)
    const first = await agent.generate('Go')
    expect(first.suspension?.payload).toEqual({
      type: 'tool-calls',
      toolCalls: [
        { toolCallId: 'b', toolName: 'ask', input: {}, waitsFor: 'answer', payload: { about: 'b' } },
        { toolCallId: 'c', toolName: 'locate', input: {}, waitsFor: 'output' },
        { toolCallId: 'd', toolName: 'ask', input: {}, waitsFor: 'answer', payload: { about: 'd' } },
      ],
    })
    const done = await agent.resume(first.runId, { b: 'one', c: { city: 'Oslo' }, d: { approved: false } })
    expect(done.steps[0]?.toolResults).toMatchObject([
      { output: 'did a' },
      { output: 'one' },
      { output: { city: 'Oslo' } },
      { output: { approved: false } },
    ])
    expect(executed).toHaveLength(3)
  })

  test('lists client calls with approvals, and keeps outputs that came before them after their review', async () => {
    const storage = new InMemoryRunStore()
    const hides: Processor = {
      id: 'hides',
      processToolResult: ({ output }) => (output === 'secret' ? { output: 'hidden' } : undefined),
    }
    const { agent, executed } = scene(
      [
        { name: 'pay', id: 'a' },
        { name: 'locate', id: 'b' },
        { name: 'ask', id: 'c' },
      ],
      { storage, processors: [hides] },
    )
    const first = await agent.generate('Go')
    expect(idsOf(first)).toEqual(['a', 'b'])
    const second = await agent.resume(first.runId, { b: 'secret' })
    expect(idsOf(second)).toEqual(['a'])
    expect(JSON.stringify(await storage.getRun(first.runId))).not.toContain('secret')
    const third = await agent.resume(first.runId, { a: { approved: true } })
    expect(third.suspension?.payload).toEqual({ about: 'c' })
    const done = await agent.resume(third.runId, 'it')
    expect(done.steps[0]?.toolResults).toMatchObject([
      { output: 'did a' },
      { output: 'hidden' },
      { output: 'it' },
    ])
    expect(executed).toHaveLength(2)
  })

  test('take no answer in the form of another kind', async () => {
    const { agent } = scene([
      { name: 'pay', id: 'call-1' },
      { name: 'locate', id: 'call-2' },
    ])
    const { runId } = await agent.generate('Go')
    for (const data of [
      { approved: true },
      { 'call-1': { output: 'paid' } },
      { 'call-1': { retry: true } },
      { 'call-1': 'Oslo', 'call-2': 'Oslo' },
      'Oslo',
    ])
      await expect(agent.resume(runId, data)).rejects.toMatchObject(INVALID)
    expect(idsOf(await agent.resume(runId, { approved: true, all: true }))).toEqual(['call-2'])
  })

  test('take the answer of the only one without its id, but no object that names a call', async () => {
    const { agent } = scene([{ name: 'locate', id: 'call-1' }])
    const { runId } = await agent.generate('Go')
    for (const data of [undefined, { 'call-2': 'Oslo' }, { 'cal-1': 'Oslo' }])
      await expect(agent.resume(runId, data)).rejects.toMatchObject(INVALID)
    await expect(agent.resume(runId, { 'cal-1': 'Oslo' })).rejects.toThrow("Did you mean 'call-1'?")
    expect((await agent.resume(runId, { city: 'Oslo' })).steps[0]?.toolResults).toMatchObject([
      { output: { city: 'Oslo' } },
    ])
  })
})

describe('a call id that means something else too', () => {
  const IDS = ['approved', 'all', 'constructor', '__proto__', 'toString', 'reason', 'input']

  test.each(IDS)('is an id like any other: %s', async (id) => {
    const other = { name: 'pay', id: 'call-1', input: { amount: 1 } }
    const { agent, executed } = scene([other, { name: 'pay', id, input: { amount: 2 } }])
    const { runId, suspension } = await agent.generate('Go')
    expect(waitingCallsOf(suspension?.payload)).toHaveLength(2)
    await expect(agent.resume(runId, { approved: true })).rejects.toMatchObject(INVALID)
    const answer = JSON.parse(`{"${id}":{"approved":true}}`)
    const second = await agent.resume(runId, answer)
    expect(idsOf(second)).toEqual(['call-1'])
    await agent.resume(runId, { approved: false })
    expect(executed).toEqual([[id, { amount: 2 }]])
  })

  test('takes the output of a client for its call where it is the only one', async () => {
    const { agent } = scene([{ name: 'locate', id: 'approved' }])
    const { runId } = await agent.generate('Go')
    const done = await agent.resume(runId, { approved: true })
    expect(done.steps[0]?.toolResults).toMatchObject([{ output: true }])
  })
})

describe('who has decided', () => {
  test('knows after a crash who has decided, not who continues the run', async () => {
    const { build, storage } = scene([...pays(1, 2), { name: 'pay', id: 'constructor' }], { runLease: 10 })
    const asked = await build().generate('Pay')
    const mortal = new MortalStore(storage, { change: 1, when: 'after' })
    const answers = { 'call-1': { approved: true }, 'call-2': { approved: false } }
    build({ storage: mortal.storage })
      .resume(asked.runId, answers, { by: 'ada' })
      .catch(() => {})
    await mortal.died
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
    try {
      for (const other of [{ approved: true, all: true }, { 'call-2': { approved: true } }])
        await expect(build().resume(asked.runId, other)).rejects.toMatchObject(INVALID)
      const rest = await build().resume(asked.runId, undefined, { by: 'operator' })
      expect(idsOf(rest)).toEqual(['constructor'])
      const done = await build().resume(asked.runId, { approved: true }, { by: 'ben' })
      expect(done.steps[0]?.toolResults).toMatchObject([
        { status: 'success', decidedBy: 'ada' },
        { status: 'denied', decidedBy: 'ada' },
        { status: 'success', decidedBy: 'ben' },
      ])
    } finally {
      vi.useRealTimers()
    }
  })

  test('records who has decided with the result of each call', async () => {
    const { agent } = scene([...pays(1, 2), { name: 'act', id: 'c' }, { name: 'locate', id: 'd' }])
    const { runId } = await agent.generate('Pay')
    await agent.resume(runId, { 'call-1': { approved: true } }, { by: 'ada' })
    await agent.resume(runId, { d: 'Oslo' })
    const done = await agent.resume(runId, { approved: false }, { by: 'ben' })
    expect(done.steps[0]?.toolResults.map(({ decidedBy }) => decidedBy)).toEqual([
      'ada',
      'ben',
      undefined,
      undefined,
    ])
  })

  test('must be the id of somebody', async () => {
    const { agent } = scene(pays(1))
    const { runId } = await agent.generate('Pay')
    for (const by of ['', 5, null])
      await expect(agent.resume(runId, { approved: true }, { by: by as string })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
      })
  })

  test('may be restricted: a refused answer changes nothing', async () => {
    const { agent, executed } = scene(pays(1, 500))
    const { runId } = await agent.generate('Pay')
    const asked: unknown[] = []
    const options = {
      by: 'ada',
      mayAnswer: ({ call, run, by }: AnswerInQuestion) => {
        asked.push([run.runId === runId, by])
        return (call.input as { amount: number }).amount < 100
      },
    }
    for (const approved of [true, false])
      await expect(agent.resume(runId, { approved, all: true }, options)).rejects.toMatchObject({
        code: 'RUN_ANSWER_FORBIDDEN',
        message: expect.stringContaining("'call-2'"),
      })
    expect(idsOf(await agent.resume(runId, { 'call-1': { approved: true } }, options))).toEqual(['call-2'])
    expect(asked[0]).toEqual([true, 'ada'])
    expect(executed).toEqual([])
  })
})

describe('calls of an agent that is used as a tool', () => {
  const nested = (...amounts: number[]) => {
    const inner = scene(pays(...amounts))
    const outer = scene([
      { name: 'team', id: 'x', input: { prompt: 'Pay' } },
      { name: 'team', id: 'y', input: { prompt: 'Pay' } },
      { name: 'ask', id: 'z' },
    ])
    const agent = outer.build({
      tools: {
        team: inner.build({ name: 'team' }).asTool(),
        ask: tool({
          inputSchema: z.object({}),
          execute: (_, { resumeData, resumedBy }) => {
            if (resumeData === undefined) throw new Suspend('Which?')
            return `${resumeData} of ${resumedBy}`
          },
        }),
      },
    })
    return { agent, executed: inner.executed }
  }

  test('lists calls of an agent by the ids of both calls, and takes answers one by one', async () => {
    const { agent, executed } = nested(1, 2)
    const first = await agent.generate('Go')
    expect(idsOf(first)).toEqual(['x/call-1', 'x/call-2', 'y/call-1', 'y/call-2', 'z'])
    expect(waitingCallsOf(first.suspension?.payload)[0]).toEqual({
      toolCallId: 'x/call-1',
      toolName: 'pay',
      input: { amount: 1 },
      waitsFor: 'approval',
      agentName: 'team',
    })
    for (const data of [
      { approved: true },
      { 'call-1': { approved: true } },
      { x: { approved: true } },
      { 'x/call-3': { approved: true } },
      { 'x/call-1': { approved: true, amount: 5 } },
    ])
      await expect(agent.resume(first.runId, data)).rejects.toMatchObject(INVALID)
    const second = await agent.resume(first.runId, {
      'x/call-2': { approved: true },
      'y/call-1': { approved: true, input: { amount: 10 } },
    })
    expect(second.runId).toBe(first.runId)
    expect(idsOf(second)).toEqual(['x/call-1', 'y/call-2', 'z'])
    expect(executed).toEqual([])
    const third = await agent.resume(first.runId, { approved: false, all: true })
    expect(third.suspension?.payload).toBe('Which?')
    expect(executed.map(([id, input]) => [id, input])).toEqual([
      ['call-2', { amount: 2 }],
      ['call-1', { amount: 10 }],
    ])
    const done = await agent.resume(third.runId, 'this', { by: 'ada' })
    expect(done.steps[0]?.toolResults).toMatchObject([{}, {}, { output: 'this of ada', decidedBy: 'ada' }])
  })

  test('cannot be taken for a call that the model has named so', async () => {
    const inner = scene(pays(1))
    const outer = scene([
      { name: 'team', id: 'x', input: { prompt: 'Pay' } },
      { name: 'ask', id: 'x/call-1' },
    ])
    const ask = tool({
      inputSchema: z.object({}),
      execute: (_, { resumeData }) => {
        if (resumeData === undefined) throw new Suspend('Which?')
        return resumeData
      },
    })
    const agent = outer.build({ tools: { team: inner.build({ name: 'team' }).asTool(), ask } })
    const first = await agent.generate('Go')
    expect(idsOf(first)).toEqual(['x/call-1', 'x-call-1'])
    const done = await agent.resume(first.runId, { 'x/call-1': { approved: true }, 'x-call-1': 'this' })
    expect(done.steps[0]?.toolResults).toMatchObject([{ output: 'Done.' }, { output: 'this' }])
    expect(inner.executed).toEqual([['call-1', { amount: 1 }]])
  })

  test('wait also while the agent has the turn', async () => {
    const inner = scene(pays(1, 2))
    const outer = scene([{ name: 'team', id: 'x', input: { prompt: 'Pay' } }])
    const agent = outer.build({
      tools: { team: inner.build({ name: 'team' }).asTool({ handoff: true }) },
    })
    const first = await agent.generate('Go')
    expect(idsOf(first)).toEqual(['x/call-1', 'x/call-2'])
    await expect(agent.resume(first.runId, { approved: true })).rejects.toMatchObject(INVALID)
    const second = await agent.resume(first.runId, { 'x/call-1': { approved: true } })
    expect([second.runId, idsOf(second)]).toEqual([first.runId, ['x/call-2']])
    expect(inner.executed).toEqual([])
    expect(await agent.resume(first.runId, { approved: true, input: { amount: 20 } })).toHaveText('Done.')
    expect(inner.executed).toEqual([
      ['call-1', { amount: 1 }],
      ['call-2', { amount: 20 }],
    ])
  })
})

describe('a processor that asks for an approval', () => {
  test('asks together with the tool, once for each call, with its reason', async () => {
    const asks: Processor = {
      id: 'asks',
      processToolCall: ({ toolCall }) =>
        toolCall.toolName === 'act' ? { needsApproval: { reason: 'A person must see it.' } } : undefined,
    }
    const { agent, executed } = scene([...pays(1), { name: 'act', id: 'b' }], {
      processors: [asks, { ...asks, id: 'asks too' }],
    })
    const first = await agent.generate('Go')
    expect(first.suspension?.payload).toEqual({
      type: 'tool-approval',
      toolCalls: [
        { toolCallId: 'call-1', toolName: 'pay', input: { amount: 1 } },
        { toolCallId: 'b', toolName: 'act', input: {}, reason: 'A person must see it.' },
      ],
    })
    await agent.resume(first.runId, { approved: true, all: true })
    expect(executed).toHaveLength(2)
  })

  test('asks despite a policy that approves, and denies where the policy denies', async () => {
    const asks: Processor = { id: 'asks', processToolCall: () => ({ needsApproval: {} }) }
    const { build } = scene([{ name: 'act', id: 'a' }], { processors: [asks] })
    expect(await build({ toolApproval: { act: 'approved' } }).generate('Go')).toHaveStatus('suspended')
    const denied = await build({ toolApproval: { act: 'denied' } }).generate('Go')
    expect(denied.steps[0]?.toolResults).toMatchObject([{ status: 'denied' }])
  })

  test.each([true, 'yes', { reason: 5 }, { because: 'x' }, { expiresAt: 'soon' }])(
    'fails the run if it asks in another form: %j',
    async (needsApproval) => {
      const asks: Processor = { id: 'asks', processToolCall: () => ({ needsApproval }) as never }
      const { agent, executed } = scene([{ name: 'act', id: 'a' }], { processors: [asks] })
      await expect(agent.generate('Go')).rejects.toMatchObject({ code: 'PROCESSOR_RESULT_INVALID' })
      expect(executed).toEqual([])
    },
  )
})

test('executes exactly what was approved, in whatever parts and order the answers come', async () => {
  const fates = fc.array(
    fc.record({
      kind: fc.constantFrom('pay', 'ask', 'locate', 'act'),
      approved: fc.boolean(),
      edit: fc.option(fc.nat(100), { nil: undefined }),
      order: fc.nat(),
    }),
    { minLength: 1, maxLength: 6 },
  )
  await fc.assert(
    fc.asyncProperty(fates, fc.integer({ min: 1, max: 4 }), async (given, atOnce) => {
      const calls = given.map(({ kind }, index) => ({
        name: kind,
        id: `c${index}`,
        input: { amount: index },
      }))
      const { build, executed } = scene(calls)
      let storage: RunStore = new InMemoryRunStore()
      let result: RunResult = await build({ storage }).generate('Go')
      for (let count = 0; result.status === 'suspended'; count++) {
        expect(count).toBeLessThan(20)
        const { runId, payload } = result.suspension
        const found = await storage.getRun(runId)
        if (found?.state !== 'suspended') throw new Error('The run is not suspended.')
        // Each answer reaches another process, by the stored run alone.
        storage = new InMemoryRunStore()
        await storage.saveRun(JSON.parse(JSON.stringify(found.run)))
        const waiting = waitingCallsOf(payload)
        const fateOf = (id: string) => given[Number(id.slice(1))] as (typeof given)[number]
        const answered = waiting
          .toSorted((a, b) => fateOf(a.toolCallId).order - fateOf(b.toolCallId).order)
          .slice(0, atOnce)
        const answers = answered.map(({ toolCallId, waitsFor }) => {
          const { approved, edit } = fateOf(toolCallId)
          if (waitsFor !== 'approval') return [toolCallId, `for ${toolCallId}`]
          return [
            toolCallId,
            { approved, ...(approved && edit !== undefined && { input: { amount: edit } }) },
          ]
        })
        const data = waiting.length > 0 ? Object.fromEntries(answers) : `for ${result.suspension.toolCallId}`
        result = await build({ storage }).resume(runId, data)
      }
      expect(result).toHaveText('Done.')
      expect(result.messages).toPairEveryToolCall()
      const expected = given.flatMap(({ kind, approved, edit }, index): [string, unknown][] => {
        const id = `c${index}`
        if (kind === 'ask') return [[id, `for ${id}`]]
        if (kind === 'act') return [[id, { amount: index }]]
        return kind === 'pay' && approved ? [[id, { amount: edit ?? index }]] : []
      })
      expect(executed.toSorted(([a], [b]) => a.localeCompare(b))).toEqual(expected)
    }),
    { numRuns: 200 },
  )
})
