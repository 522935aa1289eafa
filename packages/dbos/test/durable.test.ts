import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, type Chunk, type Processor, tool } from '@millrace/core'
import { fail, ScriptedModel, text, textOf, toolCall } from '@millrace/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { agentStep, type DurableRun, durable, type SuspendedDurableRun } from '../src/index.ts'
import { startDatabase } from './database.ts'

const anything = z.object({}).loose()
const done: string[] = []

/** A tool that logs its calls. */
function acts(name: string, options: object = {}) {
  const execute = ({ what = '' }: { what?: string }) => {
    done.push(`${name} ${what}`)
    return `${name} done`
  }
  return tool({ inputSchema: anything, execute, ...options })
}

/** A model that plays these turns in every run. */
function model(...turns: ConstructorParameters<typeof ScriptedModel>[0] & readonly unknown[]) {
  return new ScriptedModel(({ prompt }) => {
    const turn = turns[prompt.filter(({ role }) => role === 'assistant').length]
    if (turn === undefined) throw new Error('The script has run out.')
    return turn as string
  })
}

const opened = Promise.withResolvers<void>()
const busy = { now: 0, most: 0, perResource: new Map<string, number>(), mostPerResource: 0 }
const look = toolCall('look', { what: 'x' }, { id: 'look-1' })

const agents = {
  plain: new Agent({
    name: 'plain',
    model: model(['Let me look. ', look], text('It is here.', { chunkSize: 3 })),
    tools: { look: acts('look') },
  }),
  paying: new Agent({
    name: 'paying',
    model: model(toolCall('pay', { what: '20' }, { id: 'pay-1' }), 'Paid.'),
    tools: { pay: acts('pay', { needsApproval: true }) },
  }),
  twice: new Agent({
    name: 'twice',
    model: model(
      [toolCall('pay', { what: '1' }, { id: 'pay-1' }), toolCall('pay', { what: '2' }, { id: 'pay-2' })],
      'Both are paid.',
    ),
    tools: { pay: acts('pay', { needsApproval: true }) },
  }),
  failing: new Agent({
    name: 'failing',
    model: model(fail(new Error('No route.'))),
    modelSettings: { maxRetries: 0 },
  }),
  slow: new Agent({
    name: 'slow',
    model: model(toolCall('wait', {}, { id: 'wait-1' }), 'Over.'),
    tools: {
      wait: tool({
        inputSchema: anything,
        execute: (_, { abortSignal }) =>
          new Promise((_, reject) =>
            abortSignal?.addEventListener('abort', () => reject(new Error('Stopped.'))),
          ),
      }),
    },
  }),
  queued: new Agent({
    name: 'queued',
    model: new ScriptedModel(() => 'Served.'),
    processors: [
      {
        id: 'count',
        async processInput({ requestContext: { resourceId = '' } }) {
          busy.now++
          const own = (busy.perResource.get(resourceId) ?? 0) + 1
          busy.perResource.set(resourceId, own)
          busy.most = Math.max(busy.most, busy.now)
          busy.mostPerResource = Math.max(busy.mostPerResource, own)
          await opened.promise
          busy.now--
          busy.perResource.set(resourceId, (busy.perResource.get(resourceId) ?? 1) - 1)
        },
      } satisfies Processor,
    ],
  }),
  limited: new Agent({ name: 'limited', model: new ScriptedModel(() => 'Served.') }),
  brief: new Agent({
    name: 'brief',
    model: model(toolCall('pay', {}, { id: 'pay-1' }), 'Paid.'),
    tools: { pay: acts('pay', { needsApproval: true }) },
    suspensionTtl: 50,
  }),
}
const inner = new Agent({
  name: 'inner',
  model: model(['Asking. ', toolCall('pay', { what: 'inner' }, { id: 'pay-1' })], 'Inner paid.'),
  tools: { pay: acts('pay', { needsApproval: true }) },
})
const outer = new Agent({
  name: 'outer',
  model: model(['Calling. ', toolCall('ask', { prompt: 'Pay' }, { id: 'ask-1' })], 'All is paid.'),
  tools: { ask: inner.asTool() },
})
const desk = new Agent({
  name: 'desk',
  model: model(
    ['One moment. ', toolCall('transfer', { prompt: 'Pay' }, { id: 'transfer-1' })],
    'Never said.',
  ),
  tools: { transfer: inner.asTool({ handoff: true }) },
})

const support = durable(agents.plain, { name: 'support' })
const paying = durable(agents.paying)
const twice = durable(agents.twice)
const failing = durable(agents.failing)
const slow = durable(agents.slow)
const queued = durable(agents.queued, { queue: { concurrency: 3, perResource: 2, pollMs: 20 } })
const RATE = { runs: 2, periodMs: 1_000 }
const limited = durable(agents.limited, { queue: { rateLimit: RATE, pollMs: 20 } })
const brief = durable(agents.brief)
durable(inner)
const nesting = durable(outer)
const handing = durable(desk)
const notDurable = new Agent({ name: 'not-durable', model: model('Hm.') })

const workflow = DBOS.registerWorkflow(
  async (question: string) => {
    const first = await agentStep(agents.plain, question)
    const [a, b, c, d] = await Promise.all([
      agentStep(agents.plain, `${first.text} a`),
      agentStep(agents.paying, 'b', { resourceId: 'ada' }),
      agentStep(agents.plain, 'c'),
      agentStep(agents.paying, 'd', { resourceId: 'ada' }),
    ])
    return [first, a, b, c, d].map(({ text }) => text)
  },
  { name: 'whole' },
)
const wrong = DBOS.registerWorkflow(async () => (await agentStep(notDurable, 'x')).text, { name: 'wrong' })

const server = await startDatabase()
DBOS.setConfig({ name: 'test', systemDatabaseUrl: server.url, logLevel: 'error' })
await DBOS.launch()
afterAll(async () => {
  await DBOS.shutdown()
  await server.stop()
})

async function collect(
  run: DurableRun,
  options?: { from?: number; until?: Chunk['type'] },
): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of run.stream({ from: options?.from ?? 0 })) {
    chunks.push(chunk)
    if (chunk.type === options?.until) break
  }
  return chunks
}

async function untilSuspended(run: DurableRun): Promise<void> {
  await collect(run, { until: 'suspended' })
}

describe('a durable run', () => {
  test('ends with the result of the agent', async () => {
    const run = await support.start('Where is it?', { threadId: 'thread', resourceId: 'ada' })
    const result = await run.result()
    expect(result).toMatchObject({ status: 'completed', text: 'It is here.', runId: run.workflowId })
    expect(result.steps.map(({ toolResults }) => toolResults)).toMatchObject([[{ output: 'look done' }], []])
    expect(await run.status()).toBe('done')
  })

  test('has a DBOS step for each model call and each tool call', async () => {
    const run = await support.start('Where is it?')
    await run.result()
    const steps = (await DBOS.listWorkflowSteps(run.workflowId)) ?? []
    expect(steps.map(({ name }) => name)).toEqual(['start', 'look', 'results', 'DBOS.closeStream'])
  })

  test('streams the same chunks from any offset, during the run and afterwards', async () => {
    const run = await support.start('Where is it?')
    const live = await collect(run)
    expect(textOf(live)).toBe('Let me look. It is here.')
    expect(live[0]).toMatchObject({ type: 'start', runId: run.workflowId })
    expect(live.at(-1)).toMatchObject({ type: 'finish', status: 'completed' })
    for (const from of [0, 1, 5, live.length - 1, live.length])
      expect(await collect(await support.retrieve(run.workflowId), { from })).toEqual(live.slice(from))
  })

  test('is started once for a workflowId', async () => {
    const before = done.length
    const runs = await Promise.all([1, 2, 3].map(() => support.start('Where is it?', { workflowId: 'once' })))
    const results = await Promise.all(runs.map((run) => run.result()))
    expect(new Set(results.map(({ messages }) => messages[0]?.id)).size).toBe(1)
    expect(done).toHaveLength(before + 1)
  })

  test('belongs to its resource and its agent', async () => {
    const { workflowId } = await support.start('Where is it?', { resourceId: 'ada' })
    for (const owner of [{}, { resourceId: 'eve' }])
      await expect(support.retrieve(workflowId, owner)).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
    await expect(paying.retrieve(workflowId, { resourceId: 'ada' })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    })
    await expect(support.start('Hello', { resourceId: 'eve', workflowId })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    })
    await expect(support.retrieve('none')).rejects.toMatchObject({ code: 'RUN_NOT_FOUND' })
  })

  test('fails with the error of the agent, in its result and its stream', async () => {
    const run = await failing.start('Hello')
    await expect(run.result()).rejects.toMatchObject({ code: 'MODEL_CALL_FAILED' })
    expect((await collect(run)).at(-1)).toMatchObject({ type: 'error', error: { code: 'MODEL_CALL_FAILED' } })
    expect(await run.status()).toBe('failed')
  })

  test('stops its tool when it is cancelled, and has no result', async () => {
    const run = await slow.start('Hello')
    await collect(run, { until: 'tool-call' })
    await run.cancel()
    await expect(run.result()).rejects.toMatchObject({ code: 'RUN_CANCELLED' })
    expect(await run.status()).toBe('cancelled')
  })
})

describe('a suspended durable run', () => {
  test('continues in the same stream when it is resumed', async () => {
    const run = await paying.start('Pay', { resourceId: 'ada', threadId: 'thread' })
    await untilSuspended(run)
    expect(await run.status()).toBe('suspended')
    expect(await run.suspension()).toMatchObject({ payload: { type: 'tool-approval' }, toolCallId: 'pay-1' })
    expect(await paying.suspendedRuns({ resourceId: 'ada' })).toEqual([
      expect.objectContaining({ workflowId: run.workflowId, resourceId: 'ada', threadId: 'thread' }),
    ])
    expect(await paying.suspendedRuns({ resourceId: 'eve' })).toEqual([])
    for (const filter of [undefined, { resourceId: undefined }, { threadId: 'thread' }])
      expect(await paying.suspendedRuns(filter)).toEqual([])
    expect(await paying.suspendedRuns({ allResources: true })).toEqual([
      expect.objectContaining({ workflowId: run.workflowId, resourceId: 'ada', threadId: 'thread' }),
    ])
    await expect(run.resume({ approved: true }, { resourceId: undefined })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    })
    const found = await paying.retrieve(run.workflowId, { resourceId: 'ada' })
    await found.resume({ approved: true }, { resourceId: 'ada' })
    expect(await run.result()).toMatchObject({ text: 'Paid.' })
    const types = (await collect(run)).map(({ type }) => type)
    expect(
      types.filter((type) => /^(?:start|suspended|tool-call|tool-result|step-\w+|finish)$/.test(type)),
    ).toEqual([
      'start',
      'step-start',
      'tool-call',
      'suspended',
      'tool-result',
      'step-finish',
      'step-start',
      'step-finish',
      'finish',
    ])
    expect(await paying.suspendedRuns({ resourceId: 'ada' })).toEqual([])
  })

  test('takes the first resumption, and refuses data that does not fit', async () => {
    const before = done.length
    const run = await paying.start('Pay', { resourceId: 'ada' })
    await untilSuspended(run)
    await expect(run.resume('yes')).rejects.toMatchObject({ code: 'RUN_RESUME_INVALID' })
    await expect(run.resume({ approved: true }, { resourceId: 'eve' })).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
    })
    await run.resume({ approved: false, reason: 'Too much.' })
    await run.resume({ approved: true }).catch(() => {})
    const { steps } = await run.result()
    expect(steps[0]?.toolResults).toMatchObject([{ status: 'denied', reason: 'Too much.' }])
    expect(done).toHaveLength(before)
    await expect(run.resume({ approved: true })).rejects.toMatchObject({ code: 'RUN_ALREADY_RESUMED' })
  })

  test('keeps answers to some of its calls, also of two approvers at once, and waits for the rest', async () => {
    for (const atOnce of [true, false]) {
      const run = await twice.start('Pay', { resourceId: 'ada' })
      await untilSuspended(run)
      await expect(run.resume({ approved: true })).rejects.toMatchObject({ code: 'RUN_RESUME_INVALID' })
      await expect(run.resume({ 'pay-3': { approved: true } })).rejects.toMatchObject({
        code: 'RUN_RESUME_INVALID',
        message: expect.stringContaining("'pay-3'"),
      })
      const before = done.length
      const first = run.resume({ 'pay-2': { approved: true, input: { what: '20' } } }, { by: 'ben' })
      if (!atOnce) {
        await first
        await expect
          .poll(() => run.suspension())
          .toMatchObject({ payload: { toolCalls: [{ toolCallId: 'pay-1' }] } })
        expect(done).toHaveLength(before)
      }
      await Promise.all([first, run.resume({ 'pay-1': { approved: true } }, { by: 'ada' })])
      const { text, steps } = await run.result()
      expect(text).toBe('Both are paid.')
      expect(done.slice(before).toSorted()).toEqual(['pay 1', 'pay 20'])
      expect(steps[0]?.toolResults.map(({ decidedBy }) => decidedBy)).toEqual(['ada', 'ben'])
    }
  })

  test('expires', async () => {
    const run = await brief.start('Pay')
    await expect(run.result()).rejects.toMatchObject({ code: 'RUN_EXPIRED' })
  })
})

describe('an agent as a tool', () => {
  test('runs as a child workflow, and suspends its parent run when it suspends', async () => {
    const run = await nesting.start('Pay', { resourceId: 'ada' })
    await untilSuspended(run)
    const { payload } = (await run.suspension()) ?? {}
    expect(payload).toMatchObject({ type: 'tool-approval', toolCalls: [{ agentName: 'inner' }] })
    await run.resume({ approved: true })
    const result = await run.result()
    expect(result.text).toBe('All is paid.')
    expect(result.steps[0]?.toolResults).toMatchObject([{ output: 'Inner paid.' }])
    expect(result.usage.totalTokens).toBe(60)
    expect(done.filter((one) => one === 'pay inner')).toHaveLength(1)
  })

  test('takes over the turn', async () => {
    const run = await handing.start('Pay')
    await untilSuspended(run)
    await run.resume({ approved: true })
    const result = await run.result()
    expect(result.text).toBe('Inner paid.')
    expect(result.steps.map(({ text }) => text)).toEqual(['One moment. ', 'Asking. ', 'Inner paid.'])
    expect(textOf(await collect(run))).toBe('One moment. Asking. Inner paid.')
  })
})

describe('agentStep', () => {
  test('runs agents in a workflow: in sequence, in parallel, with suspensions', async () => {
    const handle = await DBOS.startWorkflow(workflow, { workflowID: 'whole-1' })('Where is it?')
    const waiting: SuspendedDurableRun[] = []
    while (waiting.length < 2) {
      waiting.splice(
        0,
        2,
        ...(await paying.suspendedRuns({ resourceId: 'ada', parentWorkflowId: 'whole-1' })),
      )
      await new Promise((resolve) => setImmediate(resolve))
    }
    for (const { workflowId } of waiting)
      await (await paying.retrieve(workflowId, { resourceId: 'ada' })).resume({ approved: true })
    expect(await handle.getResult()).toEqual(['It is here.', 'It is here.', 'Paid.', 'It is here.', 'Paid.'])
  })

  test('throws outside of workflows, and for agents that are not durable', async () => {
    await expect(agentStep(agents.plain, 'Hello')).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
    const handle = await DBOS.startWorkflow(wrong)()
    await expect(handle.getResult()).rejects.toThrow("The agent 'not-durable' is not durable.")
  })
})

test('a queue limits the concurrent runs, in total and for each resource', async () => {
  const owners = ['ada', 'ada', 'ada', 'ada', 'bob', 'bob', 'bob']
  const runs = await Promise.all(owners.map((resourceId) => queued.start('Hello', { resourceId })))
  while (busy.most < 3) await new Promise((resolve) => setImmediate(resolve))
  const statuses = await Promise.all(runs.map((run) => run.status()))
  expect(statuses).toContain('queued')
  opened.resolve()
  await Promise.all(runs.map((run) => run.result()))
  expect(busy).toMatchObject({ most: 3, mostPerResource: 2 })
})

test('a queue starts at most as many runs in a period as its rate limit, and loses none', async () => {
  const runs = await Promise.all(Array.from({ length: 2 * RATE.runs + 1 }, () => limited.start('Hello')))
  for (const run of runs) expect(await run.result()).toMatchObject({ text: 'Served.' })
  const begun = await Promise.all(
    runs.map(async ({ workflowId }) => (await DBOS.getWorkflowStatus(workflowId))?.dequeuedAt as number),
  )
  begun.sort((a, b) => a - b)
  for (const [index, at] of begun.entries()) {
    const earlier = begun[index - RATE.runs]
    if (earlier !== undefined) expect(at - earlier).toBeGreaterThanOrEqual(RATE.periodMs)
  }
})

test('durable() must be called once for each agent, before DBOS.launch()', () => {
  expect(() => durable(notDurable)).toThrow(/after DBOS.launch\(\)/)
  expect(() => durable({} as Agent)).toThrow(/not an Agent of this copy/)
})
