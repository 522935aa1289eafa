import { randomBytes } from 'node:crypto'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, type Chunk, tool } from '@millrace/core'
import { PIIDetector } from '@millrace/pii'
import { ScriptedModel, textOf, toolCall } from '@millrace/testing'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { agentStep, type DurableRun, durable, encryptedSerializer } from '../src/index.ts'
import { startDatabase } from './database.ts'

const sent: string[] = []
const mail = tool({
  inputSchema: z.object({ to: z.string() }),
  needsApproval: true,
  execute: ({ to }) => {
    sent.push(to)
    if (to.startsWith('nobody')) throw new Error(`There is no mailbox ${to}.`)
    return `Delivered to ${to}.`
  },
})
const question = (prompt: unknown): string => /"text":"([^"]*)"/.exec(JSON.stringify(prompt))?.[1] ?? ''
const clerk = new Agent({
  name: 'clerk',
  model: new ScriptedModel(({ prompt }) =>
    prompt.some(({ role }) => role === 'tool')
      ? `Posted for ${question(prompt)}.`
      : ['Composing. ', toolCall('mail', { to: question(prompt) }, { id: 'mail' })],
  ),
  tools: { mail },
  processors: [new PIIDetector({ redaction: 'tokenize', hashKey: 'secret' })],
})
const office = durable(clerk)
const work = DBOS.registerWorkflow(
  async (to: string) => {
    const { text } = await agentStep(clerk, to)
    return `The clerk says: ${text}`
  },
  { name: 'office' },
)
const failing = DBOS.registerWorkflow(async (to: string) => Promise.reject(new Error(`Not ${to}!`)), {
  name: 'failing',
})

const server = await startDatabase()
const key = randomBytes(32)
async function launch(options: Partial<Parameters<typeof DBOS.setConfig>[0]> = {}): Promise<void> {
  DBOS.setConfig({ name: 'test', systemDatabaseUrl: server.url, logLevel: 'error', ...options })
  await DBOS.launch()
}
afterAll(async () => {
  await DBOS.shutdown()
  await server.stop()
})

/** All rows of the DBOS tables, as text. */
async function stored(): Promise<string> {
  const client = new pg.Client(server.url)
  await client.connect()
  const tables = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'dbos'")
  let all = ''
  for (const { tablename } of tables.rows) {
    const { rows } = await client.query(`SELECT to_json(t)::text AS row FROM dbos."${tablename}" t`)
    for (const { row } of rows) all += `${row}\n`
  }
  await client.end()
  return all
}

async function approved(run: DurableRun): Promise<string> {
  const chunks: Chunk[] = []
  for await (const chunk of run.stream()) {
    chunks.push(chunk)
    if (chunk.type === 'suspended') await run.resume({ approved: true })
  }
  expect(textOf(chunks)).toContain('Composing. ')
  return (await run.result()).text
}

test('a run that started without encryption completes with it, and an encrypted run stores no plain text', async () => {
  await launch()
  const before = await office.start('ada@example.com')
  for await (const { type } of before.stream()) if (type === 'suspended') break
  expect(await stored()).toMatch(/ada@example\.com[\s\S]*Composing/)
  await DBOS.shutdown()

  await launch({ serializer: encryptedSerializer({ key }) })
  expect(await approved(await office.retrieve(before.workflowId))).toBe('Posted for ada@example.com.')

  const words = [
    'eve@example.com',
    'nobody@example.com',
    'Posted for',
    'No such',
    'The clerk says',
    'Not eve',
  ]
  const run = await office.start('eve@example.com', { context: { note: 'No such thing' } })
  expect(await approved(run)).toBe('Posted for eve@example.com.')
  const handle = await DBOS.startWorkflow(work)('nobody@example.com')
  await expect.poll(() => office.suspendedRuns({ parentWorkflowId: handle.workflowID })).toHaveLength(1)
  const [waiting] = await office.suspendedRuns({ parentWorkflowId: handle.workflowID })
  await (await office.retrieve(waiting?.workflowId ?? '')).resume({ approved: true })
  expect(await handle.getResult()).toBe('The clerk says: Posted for nobody@example.com.')
  await expect((await DBOS.startWorkflow(failing)('eve@example.com')).getResult()).rejects.toThrow('Not eve')
  const rows = (await stored()).split('\n')
  // Rows stored without encryption stay so.
  expect(rows.join('\n')).toContain('Posted for ada@example.com.')
  const all = rows.filter((row) => !row.includes(before.workflowId))
  expect(all.join('\n')).toContain(run.workflowId)
  for (const word of words) expect(all.filter((row) => row.includes(word))).toEqual([])
  expect(sent).toEqual(['ada@example.com', 'eve@example.com', 'nobody@example.com'])
  await DBOS.shutdown()

  await launch({ serializer: encryptedSerializer({ key: randomBytes(32) }) })
  await expect((await office.retrieve(run.workflowId)).result()).rejects.toThrow('another key')
  await DBOS.shutdown()
  await launch({ serializer: encryptedSerializer({ key: randomBytes(32), formerKeys: [key] }) })
  expect((await (await office.retrieve(run.workflowId)).result()).text).toBe('Posted for eve@example.com.')
})
