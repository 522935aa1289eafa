import { tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { HandlerOptions } from '../src/options.ts'
import { chunksOf, request, scene, textIn, userMessage } from './scene.ts'

const COLLEAGUES: Readonly<Record<string, string>> = { ada: 'team-1', ben: 'team-1', eve: 'team-2' }

/** An agent that has to pay twice, in a chat of the team of `ada` and `ben`. `eve` is of another one. */
function paying(options: Partial<HandlerOptions> = {}) {
  const paid: number[] = []
  const pay = tool({
    inputSchema: z.object({ amount: z.number() }),
    needsApproval: true,
    execute: ({ amount }) => {
      paid.push(amount)
      return `paid ${amount}`
    },
  })
  const decided: unknown[] = []
  const model = new ScriptedModel([
    [toolCall('pay', { amount: 1 }), toolCall('pay', { amount: 2 })],
    'All is paid.',
  ])
  const { handler } = scene(
    {
      model,
      tools: { pay },
      processors: [
        {
          id: 'records',
          processDelivery: ({ result }) => {
            if (result?.status === 'completed')
              decided.push(...(result.steps[0]?.toolResults.map(({ decidedBy }) => decidedBy) ?? []))
          },
        },
      ],
    },
    {
      authenticate: (given) => {
        const userId = given.headers.get('x-user') ?? ''
        const resourceId = COLLEAGUES[userId]
        return resourceId === undefined ? undefined : { resourceId, userId }
      },
      ...options,
    },
  )
  const chat = (messages: object[]) =>
    handler(request('/agents/support/chat', { body: { id: 'thread-1', messages } }))
  const list = async (user: string, query = '') => {
    const response = await handler(request(`/agents/support/runs${query}`, { user }))
    const { runs = [] } = (await response.json()) as { runs?: { runId: string }[] }
    return { status: response.status, runs }
  }
  const answer = (runId: string, data: unknown, { user = 'ada', query = '' } = {}) =>
    handler(request(`/agents/support/runs/${runId}/resume${query}`, { user, body: { data } }))
  const begin = async () => {
    await chunksOf(await chat([userMessage('Pay both.')]))
    return (await list('ada')).runs[0]?.runId ?? ''
  }
  return { begin, chat, list, answer, paid, decided }
}

const YES = { approved: true }

test('takes answers call by call, and records the authenticated user who gave each', async () => {
  const { begin, answer, paid, decided } = paying()
  const runId = await begin()
  const first = await chunksOf(await answer(runId, { 'call-2': YES }, { user: 'ben' }))
  expect(first.map(({ type }) => type)).toContain('data-suspended')
  expect(paid).toEqual([])
  const second = await chunksOf(await answer(runId, { 'call-1': { ...YES, input: { amount: 10 } } }))
  expect(textIn(second)).toBe('All is paid.')
  expect(paid).toEqual([10, 2])
  expect(decided).toEqual(['ada', 'ben'])
})

test('refuses an id, a key and a short form that are not understood, and executes nothing', async () => {
  const { begin, answer, paid, list } = paying()
  const runId = await begin()
  for (const data of [
    YES,
    { ...YES, toolCallId: 'call-2' },
    { ...YES, toolCallIds: ['call-1', 'call-2'] },
    { 'call-1': YES, 'call-3': YES },
    { 'call-1': { approve: true } },
  ])
    expect(JSON.stringify(await chunksOf(await answer(runId, data)))).toContain('RUN_RESUME_INVALID')
  expect(paid).toEqual([])
  expect((await list('ada')).runs).toHaveLength(1)
})

test('lets mayApprove decide about the owner too, by the resume route and in a chat', async () => {
  const { begin, chat, answer, paid } = paying({
    mayApprove: ({ approver, run }) => approver.userId === 'ben' && run.resourceId === approver.resourceId,
  })
  const runId = await begin()
  const refused = await chunksOf(await answer(runId, { 'call-1': YES, 'call-2': YES }))
  expect(JSON.stringify(refused)).toContain('RUN_ANSWER_FORBIDDEN')
  const parts = ['call-1', 'call-2'].map((toolCallId) => ({
    type: 'tool-pay',
    toolCallId,
    state: 'approval-responded',
    input: {},
    approval: { id: `${runId}:${toolCallId}`, approved: true },
  }))
  const inChat = await chunksOf(await chat([{ id: 'a', role: 'assistant', parts }]))
  expect(JSON.stringify(inChat)).toContain('RUN_ANSWER_FORBIDDEN')
  expect(paid).toEqual([])
  await chunksOf(await answer(runId, { ...YES, all: true }, { user: 'ben' }))
  expect(paid).toEqual([1, 2])
})

test('lets somebody of another resource approve what mayApprove says, and shows them no answer', async () => {
  const { begin, list, answer, paid, decided } = paying({
    mayApprove: ({ approver, call, run }) =>
      approver.userId === 'eve' &&
      run.resourceId === 'team-1' &&
      (call.input as { amount: number }).amount < 2,
  })
  const runId = await begin()
  const query = '?resourceId=team-1'
  expect((await list('eve')).runs).toEqual([])
  expect((await list('eve', query)).runs).toMatchObject([
    { runId, payload: { toolCalls: [{ toolCallId: 'call-1' }] } },
  ])
  const tooMuch = await answer(runId, { 'call-2': YES }, { user: 'eve', query })
  expect([tooMuch.status, await tooMuch.json()]).toMatchObject([
    403,
    { error: { code: 'RUN_ANSWER_FORBIDDEN' } },
  ])
  const unknown = await answer(runId, { 'call-9': YES }, { user: 'eve', query })
  expect([unknown.status, await unknown.json()]).toMatchObject([
    400,
    { error: { code: 'RUN_RESUME_INVALID' } },
  ])
  const taken = await answer(runId, { 'call-1': YES }, { user: 'eve', query })
  expect([taken.status, await taken.json()]).toEqual([202, { accepted: true }])
  expect((await list('eve', query)).runs).toEqual([])
  const [waiting] = (await list('ada')).runs
  expect(waiting).toMatchObject({ runId, payload: { toolCalls: [{ toolCallId: 'call-2' }] } })
  expect(paid).toEqual([])
  expect(decided).toEqual([])
})

test('hides the runs of others where nobody may approve them', async () => {
  const { begin, list, answer, paid } = paying()
  const runId = await begin()
  const query = '?resourceId=team-1'
  expect((await list('eve', query)).status).toBe(404)
  expect((await answer(runId, { ...YES, all: true }, { user: 'eve', query })).status).toBe(404)
  const nowhere = paying({ mayApprove: () => true })
  expect((await nowhere.answer('nowhere', YES, { user: 'eve', query })).status).toBe(404)
  expect(paid).toEqual([])
})

test('refuses a mayApprove that is no function', () => {
  expect(() => paying({ mayApprove: ['ada'] as never })).toThrow('mayApprove is of type object')
})
