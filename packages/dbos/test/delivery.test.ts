import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, type Chunk, type Processor, tool } from '@millrace/core'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, textOf, toolCall } from '@millrace/testing'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { type DurableRun, durable } from '../src/index.ts'
import { startDatabase } from './database.ts'

const seen: unknown[] = []
let delivered: string[] = []
beforeEach(() => {
  seen.length = 0
  delivered = []
})

/** The text of the first user message, as the model gets it. */
const questionIn = (prompt: unknown): string => /"text":"([^"]*)"/.exec(JSON.stringify(prompt))?.[1] ?? ''

const mail = tool({
  inputSchema: z.object({ to: z.string() }),
  needsApproval: true,
  execute: ({ to }) => {
    seen.push(to)
    return `Sent to ${to}.`
  },
})
const writer = new Agent({
  name: 'writer',
  model: new ScriptedModel(({ prompt }) => {
    seen.push(questionIn(prompt))
    return prompt.some(({ role }) => role === 'tool')
      ? `I wrote to ${questionIn(prompt)}.`
      : ['Writing. ', toolCall('mail', { to: questionIn(prompt) }, { id: 'mail' })]
  }),
  tools: { mail },
  processors: [new PIIDetector({ redaction: 'tokenize', hashKey: 'secret' })],
})

const shouting: Processor = {
  id: 'shouting',
  processDelivery: async ({ part, result }) => {
    delivered.push(result ? 'result' : part.type === 'text-delta' ? part.textDelta : part.type)
    if (result) return { ...result, text: result.text.toUpperCase() }
    return part.type === 'text-delta' ? { ...part, textDelta: part.textDelta.toUpperCase() } : part
  },
}
const looking = new Agent({
  name: 'looking',
  model: new ScriptedModel(({ prompt }) =>
    prompt.some(({ role }) => role === 'tool')
      ? 'It is here.'
      : ['Looking. ', toolCall('look', {}, { id: 'look' })],
  ),
  tools: { look: tool({ inputSchema: z.object({}), execute: () => 'found', onInterrupted: 'retry' }) },
  processors: [shouting],
})

const writing = durable(writer)
const found = durable(looking, { queue: { pollMs: 10 } })

const server = await startDatabase()
DBOS.setConfig({ name: 'test', systemDatabaseUrl: server.url, logLevel: 'error' })
await DBOS.launch()
afterAll(async () => {
  await DBOS.shutdown()
  await server.stop()
})

async function read(run: DurableRun, options?: { from?: number; until?: Chunk['type'] }): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for await (const chunk of run.stream({ from: options?.from ?? 0 })) {
    chunks.push(chunk)
    if (chunk.type === options?.until) break
  }
  return chunks
}

test('readers get the originals that tokenize keeps from the model, from any offset', async () => {
  const run = await writing.start('ada@example.com')
  await read(run, { until: 'suspended' })
  expect(await run.suspension()).toMatchObject({
    payload: { toolCalls: [{ input: { to: 'ada@example.com' } }] },
  })
  await run.resume({ approved: true })
  const result = await run.result()
  expect(result.text).toBe('I wrote to ada@example.com.')
  const [first, ...rest] = seen
  expect(first).toMatch(/^\[EMAIL_[0-9a-f]{12}\]$/)
  expect(rest).toEqual(['ada@example.com', first])
  const chunks = await read(await writing.retrieve(run.workflowId))
  expect(textOf(chunks)).toBe('Writing. I wrote to ada@example.com.')
  expect(JSON.stringify(chunks)).not.toContain('EMAIL')
  for (const from of [1, 4, chunks.length - 1])
    expect(await read(await writing.retrieve(run.workflowId), { from })).toEqual(chunks.slice(from))
})

test('processDelivery runs once for each new chunk: not for readers, and not for recorded chunks', async () => {
  const run = await found.start('Where?')
  expect((await run.result()).text).toBe('IT IS HERE.')
  const all = delivered
  expect(all.filter((one) => one === 'result')).toHaveLength(1)
  const chunks = await read(run)
  expect(textOf(chunks)).toBe('LOOKING. IT IS HERE.')
  await read(run)
  expect(delivered).toHaveLength(all.length)

  const steps = (await DBOS.listWorkflowSteps(run.workflowId)) ?? []
  expect(steps.map(({ name }) => name).slice(0, 3)).toEqual(['start', 'look', 'results'])
  for (const { functionID, name } of steps) {
    delivered = []
    const { workflowID } = await DBOS.forkWorkflow(run.workflowId, functionID, {
      queueName: 'millrace.looking',
    })
    const forked = await found.retrieve(workflowID)
    expect((await forked.result()).text).toBe('IT IS HERE.')
    // The remaining work is the end of the delivered list.
    const isWhole = name === 'start'
    expect(delivered, name).toEqual(isWhole ? all : all.slice(all.length - delivered.length))
    expect(delivered.includes('Looking. '), name).toBe(isWhole)
  }
})
