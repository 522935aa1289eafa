import { Agent, type Processor, tool } from '@millrace/core'
import { InMemoryRunStore } from '@millrace/core/storage'
import { Memory } from '@millrace/memory'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RunDetail, SuspendedPage } from '../src/wire.ts'
import { type Client, watched } from './scene.ts'

interface Scene {
  agent: Agent
  client: Client
  paid: number[]
  runId: string
}

/** An agent whose run waits for the approval of one or two tool calls. */
async function waiting(amounts: readonly number[] = [20]): Promise<Scene> {
  const paid: number[] = []
  const refund = tool({
    inputSchema: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: ({ amount }) => {
      paid.push(amount)
      return `Paid ${amount}.`
    },
  })
  const agent = new Agent({
    name: 'support',
    model: new ScriptedModel([amounts.map((amount) => toolCall('refund', { amount })), 'Done.']),
    tools: { refund },
    storage: new InMemoryRunStore(),
  })
  const { client, trace } = await watched({ support: agent })
  const { runId } = await agent.generate('Pay me back.', { resourceId: 'ada', threadId: 'thread' })
  await trace.flush()
  return { agent, client, paid, runId }
}

const APPROVED = { type: 'calls', answers: { 'call-1': { approved: true } } }

describe('a suspended run', () => {
  test('is listed with its tool calls, and resumes when they are approved', async () => {
    const { client, paid, runId } = await waiting()
    const { runs } = await client.get<SuspendedPage>('/api/suspended')
    expect(runs).toMatchObject([
      {
        runId,
        agentName: 'support',
        resourceId: 'ada',
        recorded: true,
        waitsFor: {
          type: 'calls',
          calls: [
            {
              toolCallId: 'call-1',
              toolName: 'refund',
              waitsFor: 'approval',
              input: { text: expect.stringContaining('20') },
            },
          ],
        },
      },
    ])
    const before = await client.run(runId)
    expect(before.steps[0]?.toolCalls).toMatchObject([{ state: 'waiting', approval: { state: 'asked' } }])
    const answered = await client.post<{ runId: string }>(`/api/suspended/${runId}/answer`, {
      type: 'calls',
      answers: { 'call-1': { approved: true } },
    })
    const run = await client.ended(answered.runId)
    expect(run).toMatchObject({ state: 'completed', resumedFrom: runId, text: { text: 'Done.' } })
    expect(run.attempts.map(({ id }) => id)).toEqual([runId, answered.runId])
    expect(paid).toEqual([20])
    expect((await client.get<SuspendedPage>('/api/suspended')).runs).toEqual([])
    expect((await client.run(runId)).resumedBy).toBe(answered.runId)
  })

  test('does not execute a denied call, and passes the reason to the model', async () => {
    const { client, paid, runId } = await waiting()
    const { runId: next } = await client.post<{ runId: string }>(`/api/suspended/${runId}/answer`, {
      type: 'calls',
      answers: { 'call-1': { approved: false, reason: 'Too much.' } },
    })
    const run = await client.ended(next)
    expect(paid).toEqual([])
    expect(JSON.stringify(run.steps)).toContain('Too much.')
  })

  test('takes a decision for each call', async () => {
    const { client, paid, runId } = await waiting([5, 500])
    const { runs } = await client.get<SuspendedPage>('/api/suspended')
    const waits = runs[0]?.waitsFor
    const [small, large] = waits?.type === 'calls' ? waits.calls : []
    const { runId: next } = await client.post<{ runId: string }>(`/api/suspended/${runId}/answer`, {
      type: 'calls',
      answers: {
        [small?.toolCallId ?? '']: { approved: true },
        [large?.toolCallId ?? '']: { approved: false },
      },
    })
    await client.ended(next)
    expect(paid).toEqual([5])
  })

  test('executes the input of the approver, and records who has decided', async () => {
    const { client, paid, runId } = await waiting()
    const { runId: next } = await client.post<{ runId: string }>(`/api/suspended/${runId}/answer`, {
      type: 'calls',
      answers: { 'call-1': { approved: true, input: { amount: 5 } } },
    })
    const run = await client.ended(next)
    expect(run.state).toBe('completed')
    expect(paid).toEqual([5])
  })

  test('takes one of two concurrent answers, and refuses the other', async () => {
    const { client, paid, runId } = await waiting()
    const answers = await Promise.all(
      [1, 2, 3].map(() => client.send(`/api/suspended/${runId}/answer`, APPROVED)),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses.filter((status) => status === 200)).toHaveLength(1)
    for (const status of statuses.slice(1)) expect([404, 409]).toContain(status)
    const [started] = await Promise.all(answers.filter(({ ok }) => ok).map((response) => response.json()))
    await client.ended((started as { runId: string }).runId)
    expect(paid).toEqual([20])
  })

  test('refuses an answer of another type', async () => {
    const { client, paid, runId } = await waiting()
    for (const answer of [
      { type: 'calls', answers: {} },
      { type: 'calls', answers: { nowhere: { approved: true } } },
      { type: 'calls', answers: { 'call-1': { approve: true } } },
      { type: 'calls', answers: { 'call-1': { output: 'paid' } } },
      { type: 'calls', answers: { 'call-1': { approved: true }, nowhere: { approved: true } } },
      { type: 'data', data: { approved: true } },
      { type: 'continue' },
      { type: 'shout' },
      {},
    ]) {
      const { status } = await client.refusal(`/api/suspended/${runId}/answer`, answer)
      expect([400, 422], JSON.stringify(answer)).toContain(status)
    }
    expect(await client.refusal('/api/suspended/nowhere/answer', APPROVED)).toMatchObject({
      status: 404,
    })
    expect(paid).toEqual([])
    expect((await client.get<SuspendedPage>('/api/suspended')).runs).toHaveLength(1)
  })

  test('is released', async () => {
    const { client, runId } = await waiting()
    const response = await client.fetch(`/api/suspended/${runId}`, { method: 'DELETE' })
    expect(await response.json()).toEqual({ released: true })
    expect((await client.get<SuspendedPage>('/api/suspended')).runs).toEqual([])
  })

  test('takes the data that a processor asks for', async () => {
    const asks: Processor = {
      id: 'asks',
      processInput: ({ suspend, resumeData }) =>
        resumeData === undefined ? suspend({ question: 'Which shop?' }) : undefined,
    }
    const agent = new Agent({
      model: new ScriptedModel(['Thank you.']),
      processors: [asks],
      storage: new InMemoryRunStore(),
    })
    const { client, trace } = await watched({ agent })
    const { runId } = await agent.generate('Hi')
    await trace.flush()
    const { runs } = await client.get<SuspendedPage>('/api/suspended')
    expect(runs[0]).toMatchObject({ processorId: 'asks', waitsFor: { type: 'data' } })
    const { runId: next } = await client.post<{ runId: string }>(`/api/suspended/${runId}/answer`, {
      type: 'data',
      data: { shop: 'Oslo' },
    })
    expect(await client.ended(next)).toMatchObject({ state: 'completed' })
  })

  test('takes the output of a client tool', async () => {
    const agent = new Agent({
      model: new ScriptedModel([toolCall('locate'), 'You are in Oslo.']),
      tools: { locate: tool({ inputSchema: z.object({}) }) },
      storage: new InMemoryRunStore(),
    })
    const { client, trace } = await watched({ agent })
    const { runId } = await agent.generate('Where am I?')
    await trace.flush()
    const { runs } = await client.get<SuspendedPage>('/api/suspended')
    const waits = runs[0]?.waitsFor
    const callId = waits?.type === 'calls' ? (waits.calls[0]?.toolCallId ?? '') : ''
    const { runId: next } = await client.post<{ runId: string }>(`/api/suspended/${runId}/answer`, {
      type: 'calls',
      answers: { [callId]: { city: 'Oslo' } },
    })
    const run = await client.ended(next)
    expect(JSON.stringify(run.steps)).toContain('Oslo')
  })
})

describe('a replay', () => {
  const other = new ScriptedModel(
    ({ prompt }) => `Asked ${prompt.length} messages: ${JSON.stringify(prompt.at(-1)?.content)}`,
    {
      modelId: 'other',
    },
  )
  const agentWithTool = (calls: string[]): Agent =>
    new Agent({
      name: 'support',
      instructions: 'Be brief.',
      model: new ScriptedModel(({ prompt }) =>
        prompt.some(({ role }) => role === 'tool') ? 'It was sent.' : [toolCall('order', { number: 'A-17' })],
      ),
      tools: {
        order: tool({
          inputSchema: z.object({ number: z.string() }),
          execute: ({ number }) => {
            calls.push(number)
            return 'sent'
          },
        }),
      },
      processors: [new PIIDetector({ redaction: 'type' })],
    })

  test('repeats the run without side effects', async () => {
    const calls: string[] = []
    const agent = agentWithTool(calls)
    const { client, trace } = await watched({ support: agent })
    const { runId } = await agent.generate('Where is A-17? Mail ada@example.com.')
    await trace.flush()
    const started = await client.post<{ runId: string; originalId: string }>(`/api/runs/${runId}/replay`, {})
    expect(started.originalId).toBe(runId)
    const replay = await client.ended(started.runId)
    expect(replay).toMatchObject({ state: 'completed', replayOf: runId, text: { text: 'It was sent.' } })
    expect(calls).toEqual(['A-17'])
    expect((await client.run(runId)).replays.map(({ id }) => id)).toEqual([started.runId])
    const executed = await client.post<{ runId: string }>(`/api/runs/${runId}/replay`, { tools: 'execute' })
    await client.ended(executed.runId)
    expect(calls).toEqual(['A-17', 'A-17'])
  })

  test('takes another input, model, instructions and set of processors', async () => {
    const agent = agentWithTool([])
    const { client, trace } = await watched(
      { support: agent },
      { models: { other }, processorSets: { none: [] } },
    )
    const { runId } = await agent.generate('Mail ada@example.com.')
    await trace.flush()
    const replayed = async (request: object): Promise<RunDetail> => {
      const started = await client.post<{ runId: string }>(`/api/runs/${runId}/replay`, request)
      return client.ended(started.runId)
    }
    expect((await replayed({ model: 'other' })).text?.text).toContain('Mail [EMAIL].')
    expect((await replayed({ model: 'other', input: 'Mail grace@example.com.' })).text?.text).toContain(
      'Mail [EMAIL].',
    )
    const bare = await replayed({ model: 'other', processors: 'none', instructions: 'Be long.' })
    expect(bare.text?.text).toContain('ada@example.com')
    expect(bare.messages[0]).toMatchObject({ role: 'system', parts: [{ text: { text: 'Be long.' } }] })
  })

  test('refuses unknown models and processor sets', async () => {
    const agent = agentWithTool([])
    const { client, trace } = await watched({ support: agent }, { models: { other } })
    const { runId } = await agent.generate('Hi')
    await trace.flush()
    const refused = (request: object): Promise<unknown> =>
      client.refusal(`/api/runs/${runId}/replay`, request)
    expect(await refused({ model: 'mine' })).toMatchObject({
      status: 400,
      message: expect.stringContaining('other'),
    })
    expect(await refused({ model: '__proto__' })).toMatchObject({ status: 400 })
    expect(await refused({ processors: 'constructor' })).toMatchObject({ status: 400 })
    expect(await client.refusal('/api/runs/nowhere/replay', {})).toMatchObject({ status: 404 })
  })
})

test('chats with an agent, in a thread', async () => {
  const memory = new Memory()
  const agent = new Agent({
    model: new ScriptedModel(({ prompt }) => `I have ${prompt.length} messages.`),
    memory,
  })
  const { client } = await watched({ agent })
  const turn = async (body: object): Promise<{ threadId: string; text: string }> => {
    let threadId = ''
    let answer = ''
    const init = {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }
    for await (const { event, data } of client.events('/api/agents/agent/chat', init)) {
      if (event === 'started') threadId = (data as { threadId: string }).threadId
      if (event === 'end') answer = (data as { answer: string }).answer
    }
    return { threadId, text: answer }
  }
  const first = await turn({ text: 'Hello' })
  expect(first.text).toBe('I have 1 messages.')
  expect(await turn({ text: 'Again', threadId: first.threadId })).toEqual({
    ...first,
    text: 'I have 3 messages.',
  })
  expect(await client.refusal('/api/agents/nobody/chat', { text: 'Hi' })).toMatchObject({ status: 404 })
  expect(await client.refusal('/api/agents/agent/chat', { text: '' })).toMatchObject({ status: 400 })
})
