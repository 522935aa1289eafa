import { Agent, type Processor, tool } from '@millrace/core'
import { SecretDetector } from '@millrace/guards/secrets'
import { PIIDetector } from '@millrace/pii'
import { gate, ScriptedModel, text, toolCall } from '@millrace/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { ProcessorNode, RunDetail } from '../src/wire.ts'
import { watched } from './scene.ts'

const EMAIL = 'ada.lovelace@example.com'

const order = tool({
  inputSchema: z.object({ number: z.string() }),
  execute: ({ number }) => ({ number, to: EMAIL }),
})

function supportAgent(processors: Processor[] = [new PIIDetector({ redaction: 'type' })]): Agent {
  return new Agent({
    name: 'support',
    instructions: 'Be brief.',
    model: new ScriptedModel([
      [text('Let me look. ', { chunkSize: 3 }), toolCall('order', { number: 'A-17' })],
      [text(`It went to ${EMAIL}.`, { chunkSize: 4 })],
    ]),
    tools: { order },
    processors,
  })
}

const nodesOf = (run: RunDetail): ProcessorNode[] => [
  ...run.before,
  ...run.steps.flatMap((step) => step.pipeline.filter((node) => node.kind === 'processor')),
  ...run.after,
]

describe('a run', () => {
  test('is listed and shown with its pipeline in order, changes, prompts and tool calls', async () => {
    const agent = supportAgent()
    const { client, trace } = await watched({ support: agent })
    await agent.generate(`I am ${EMAIL}. Where is A-17?`, { threadId: 'thread', resourceId: 'ada' })
    await trace.flush()
    const [summary] = await client.runs()
    expect(summary).toMatchObject({
      agentName: 'support',
      threadId: 'thread',
      resourceId: 'ada',
      state: 'completed',
      stepCount: 2,
      toolCallCount: 1,
      models: ['scripted-model'],
      acted: [{ processorId: 'pii-detector', outcome: 'changed' }],
      findings: [{ kind: 'email', count: 1 }],
      usage: { totalTokens: 30 },
    })
    expect(summary?.timeToFirstChunkMs).toBeGreaterThan(0)

    const run = await client.run(summary?.id ?? '')
    expect(run.before).toMatchObject([
      { processorId: 'pii-detector', hook: 'processInput', outcome: 'changed' },
    ])
    expect(run.before[0]?.findings).toEqual([{ kind: 'email', source: 'recognised' }])
    expect(run.steps).toHaveLength(2)
    const [first, second] = run.steps
    expect(first?.pipeline.map((node) => (node.kind === 'processor' ? node.hook : node.kind))).toEqual([
      'processInputStep',
      'model',
      'processOutputStream',
      'processExecution',
      'processToolCall',
      'tool',
      'processExecution',
      'processExecution',
      'processToolResult',
    ])
    expect(first?.toolCalls).toMatchObject([
      { toolName: 'order', state: 'done', input: { text: expect.stringContaining('A-17') }, retries: 0 },
    ])
    const models = [first, second].map((step) => step?.pipeline.find((node) => node.kind === 'model'))
    expect(models.map((node) => [node?.messageCount, node?.prompt?.kept])).toEqual([
      [2, 0],
      [4, 2],
    ])
    expect(JSON.stringify(models)).toContain('I am [EMAIL]. Where is A-17?')
    expect(run.text?.text).toBe('It went to [EMAIL].')
  })

  test('hides found values everywhere, unless they are revealed', async () => {
    const agent = supportAgent()
    const { client, trace } = await watched({ support: agent })
    await agent.generate(`I am ${EMAIL}. Where is A-17?`)
    await trace.flush()
    const [{ id } = { id: '' }] = await client.runs()
    for (const path of [
      '/api/runs',
      `/api/runs/${id}`,
      `/api/runs/${id}/chunks`,
      `/api/runs/${id}/export?format=json`,
      `/api/runs/${id}/export?format=html`,
    ]) {
      const response = await client.fetch(path)
      expect(await response.text(), path).not.toContain(EMAIL)
    }
    const revealed = await client.run(id, '?reveal=1')
    expect(JSON.stringify(revealed.messages)).toContain(EMAIL)
    const removed = revealed.before[0]?.changes[0]?.difference.find(({ type }) => type === 'removed')
    expect(removed).toEqual({ type: 'removed', text: EMAIL, kind: 'email' })
  })

  test('shows what was blocked, and by which processor', async () => {
    const agent = supportAgent([new SecretDetector({ strategy: 'block' })])
    const { client, trace } = await watched({ support: agent })
    const secret = 'sk-proj-abcdEFGH1234ijklMNOP5678qrstUVWX9012yzABcdEF3456'
    await agent.generate(`My key is ${secret}.`)
    await trace.flush()
    const [summary] = await client.runs('?state=tripwire')
    expect(summary).toMatchObject({ acted: [{ processorId: 'secret-detector', outcome: 'blocked' }] })
    const run = await client.run(summary?.id ?? '')
    expect(run.end).toMatchObject({ processorId: 'secret-detector', hook: 'processInput' })
    expect(nodesOf(run).at(-1)).toMatchObject({ outcome: 'blocked' })
    expect(JSON.stringify(run)).not.toContain(secret)
  })

  test('shows a retraction as the reader saw it', async () => {
    const agent = new Agent({
      model: new ScriptedModel([
        text('I guarantee it.', { chunkSize: 3 }),
        text('It may be so.', { chunkSize: 3 }),
      ]),
      processors: [
        {
          id: 'cautious',
          processOutputStep: ({ text: said, abort }) =>
            said.includes('guarantee') ? abort('Too much.', { retry: true }) : undefined,
        },
      ],
    })
    const { client, trace } = await watched({ agent })
    await agent.generate('Sure?')
    await trace.flush()
    const [summary] = await client.runs()
    expect(summary).toMatchObject({
      retractions: 1,
      acted: [{ processorId: 'cautious', outcome: 'retried' }],
    })
    const run = await client.run(summary?.id ?? '')
    expect(run.reader.map(({ event }) => event)).toMatchObject([
      { type: 'text', text: { text: 'I guarantee it.' }, retracted: true, chunks: 5 },
      { type: 'retracted', reason: 'Too much.', processorId: 'cautious', retry: true },
      { type: 'text', text: { text: 'It may be so.' } },
      { type: 'finished' },
    ])
    expect(run.steps[0]?.discarded).toMatchObject([
      { reason: 'Too much.', processorId: 'cautious', text: { text: 'I guarantee it.' } },
    ])
  })

  test('shows which processors held text back, and which failed and were skipped', async () => {
    const agent = new Agent({
      model: new ScriptedModel([text('Mail me', { chunkSize: 1 })]),
      processors: [
        new PIIDetector(),
        {
          id: 'broken',
          onError: 'skip',
          processOutputResult: () => {
            throw new Error('Out of order.')
          },
        },
      ],
    })
    const { client, trace } = await watched({ agent })
    await agent.generate('Hi')
    await trace.flush()
    const [summary] = await client.runs()
    const run = await client.run(summary?.id ?? '')
    const outcomes = nodesOf(run).map(({ processorId, hook, outcome }) => `${processorId} ${hook} ${outcome}`)
    expect(outcomes).toContain('pii-detector processOutputStream held')
    expect(outcomes).toContain('broken processOutputResult skipped')
    expect(run.warnings).toHaveLength(1)
  })

  test('that fails is recorded with its error', async () => {
    const agent = new Agent({
      model: new ScriptedModel(['Hello.']),
      processors: [
        {
          id: 'broken',
          processInput: () => {
            throw new Error('Out of order.')
          },
        },
      ],
    })
    const { client, trace } = await watched({ agent })
    await agent.generate('Hi').catch(() => {})
    await trace.flush()
    const [summary] = await client.runs()
    expect(summary?.state).toBe('failed')
    expect(await client.run(summary?.id ?? '')).toMatchObject({ end: { code: 'PROCESSOR_FAILED' } })
  })

  test('of an agent that is a tool is linked with its parent run', async () => {
    const researcher = new Agent({ name: 'researcher', model: new ScriptedModel(['The mill is old.']) })
    const editor = new Agent({
      name: 'editor',
      model: new ScriptedModel([[toolCall('research', { prompt: 'Mills' })], 'It is old.']),
      tools: { research: researcher.asTool() },
    })
    const { client, trace } = await watched({ editor, researcher })
    for await (const _ of editor.stream('Write about mills.').fullStream);
    await trace.flush()
    const [outer] = await client.runs('?agent=editor')
    const run = await client.run(outer?.id ?? '')
    expect(run.nested).toMatchObject([{ agentName: 'researcher', parent: { runId: outer?.id } }])
    expect(run.steps[0]?.toolCalls[0]?.runId).toBe(run.nested[0]?.id)
  })

  test('costs what its models cost, rejected attempts included', async () => {
    const agent = new Agent({
      model: new ScriptedModel(['No.', 'Yes.'], { modelId: 'mini' }),
      processors: [
        {
          id: 'picky',
          processOutputStep: ({ text: said, abort }) =>
            said === 'No.' ? abort('No.', { retry: true }) : undefined,
        },
      ],
    })
    const prices = { currency: 'EUR', models: { 'scripted/mini': { input: 1_000_000, output: 2_000_000 } } }
    const { client, trace } = await watched({ agent }, { prices })
    await agent.generate('Hi')
    await trace.flush()
    const [summary] = await client.runs()
    // 10 tokens in and 5 out, twice.
    expect(summary?.cost).toEqual({ amount: 40, currency: 'EUR' })
  })
})

describe('the list', () => {
  test('is paged, newest first, and filtered', async () => {
    const agent = new Agent({
      model: new ScriptedModel(({ prompt }) => `Answer to ${JSON.stringify(prompt.at(-1)?.content)}`),
    })
    const { client, trace } = await watched({ agent })
    for (let number = 0; number < 7; number++)
      await agent.generate(`Question ${number}`, { threadId: `t${number % 2}` })
    await trace.flush()
    const inputs: (string | undefined)[] = []
    let cursor = ''
    do {
      const page = await client.get<{ runs: { input?: string }[]; next?: string }>(
        `/api/runs?limit=3${cursor}`,
      )
      inputs.push(...page.runs.map(({ input }) => input))
      cursor = page.next === undefined ? '' : `&cursor=${encodeURIComponent(page.next)}`
    } while (cursor !== '')
    expect(inputs).toEqual([6, 5, 4, 3, 2, 1, 0].map((number) => `Question ${number}`))
    expect(await client.runs('?threadId=t1')).toHaveLength(3)
    expect(await client.runs('?search=QUESTION%205')).toHaveLength(1)
    expect(await client.runs('?agent=other')).toEqual([])
    expect(await client.runs('?state=failed,completed')).toHaveLength(7)
    expect(await client.runs('?processor=pii-detector')).toEqual([])
  })

  test('keeps at most maxRuns runs', async () => {
    const agent = new Agent({ model: new ScriptedModel(() => 'Yes.') })
    const { client, trace } = await watched({ agent }, { maxRuns: 5 })
    for (let number = 0; number < 120; number++) await agent.generate(`Question ${number}`)
    await trace.flush()
    // Pruned after every hundred runs.
    expect((await client.runs('?limit=200')).length).toBeLessThan(105)
    expect((await client.runs())[0]?.input).toBe('Question 119')
  })

  test('deletes a run', async () => {
    const agent = supportAgent()
    const { client, trace } = await watched({ agent })
    await agent.generate('Where is A-17?')
    await trace.flush()
    const [{ id } = { id: '' }] = await client.runs()
    expect(await (await client.fetch(`/api/runs/${id}`, { method: 'DELETE' })).json()).toEqual({
      deleted: true,
    })
    expect(await client.runs()).toEqual([])
    expect((await client.fetch(`/api/runs/${id}`)).status).toBe(404)
  })
})

test('follows a run in progress', async () => {
  const held = gate()
  const agent = new Agent({
    model: new ScriptedModel([[text('First. '), held, text('Second.')]]),
  })
  const { client } = await watched({ agent })
  const live = client.events('/api/events')
  const result = agent.stream('Hi').result
  let runId: string | undefined
  for await (const { event, data } of live) {
    if (event !== 'run') continue
    runId = (data as { id: string }).id
    break
  }
  const seen: string[] = []
  for await (const { event, data } of client.events(`/api/runs/${runId}/events`)) {
    seen.push(event)
    const entries = event === 'reader' ? data : event === 'run' ? (data as RunDetail).reader : []
    if (JSON.stringify(entries).includes('First.')) held.open()
    if (event === 'end') {
      expect(data).toMatchObject({ state: 'completed', text: { text: 'First. Second.' } })
    }
  }
  await result
  expect(seen[0]).toBe('run')
  expect(seen.at(-1)).toBe('end')
})

test('an exported run can be imported unchanged', async () => {
  const agent = supportAgent()
  const { client, trace } = await watched({ support: agent })
  await agent.generate(`I am ${EMAIL}. Where is A-17?`)
  await trace.flush()
  const [{ id } = { id: '' }] = await client.runs()
  const file = (await (await client.fetch(`/api/runs/${id}/export?format=json`)).json()) as object
  const { client: other } = await watched({ other: supportAgent() })
  const { runId } = await other.post<{ runId: string }>('/api/import', file)
  const [here, there] = [await client.run(id), await other.run(runId)]
  expect(there.imported).toBe(true)
  expect(there.reader).toEqual(here.reader)
  expect(there.steps.map(({ pipeline }) => pipeline.length)).toEqual(
    here.steps.map(({ pipeline }) => pipeline.length),
  )
  expect(JSON.stringify(await other.run(runId, '?reveal=1'))).not.toContain(EMAIL)
  for (const broken of [
    {},
    { ...file, version: 2 },
    { ...file, events: [{ name: 'run-finish', at: 1 }] },
    [],
  ]) {
    expect(await other.refusal('/api/import', broken)).toMatchObject({ status: 400, code: 'REQUEST_INVALID' })
  }
})

test('closing twice closes once', async () => {
  const { trace } = await watched({ support: supportAgent() })
  await Promise.all([trace.close(), trace.close()])
  await trace.close()
})
