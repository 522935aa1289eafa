import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { startDatabase } from './database.ts'
import { durable } from '../src/index.ts'

const server = await startDatabase()
afterAll(async () => {
  await DBOS.shutdown()
  await server.stop()
})

const look = tool({ inputSchema: z.object({}).loose(), execute: () => 'found' })
const agent = new Agent({
  name: 'support',
  model: new ScriptedModel([['Let me look. ', toolCall('look')], 'It is here.', ['a', toolCall('pay')], 'paid']),
  tools: { look, pay: tool({ inputSchema: z.object({}).loose(), needsApproval: true, execute: () => 'done' }) },
})
const support = durable(agent)
DBOS.setConfig({ name: 'test', systemDatabaseUrl: server.url, logLevel: 'warn' })
await DBOS.launch()

test('runs', async () => {
  const run = await support.start('Hello')
  const result = await run.result()
  expect(result.text).toBe('It is here.')
  const chunks = []
  for await (const chunk of run.stream()) chunks.push(chunk)
  console.log(chunks.map((c) => c.type))
  const steps = await DBOS.listWorkflowSteps(run.workflowId)
  console.log(JSON.stringify(steps, null, 1).slice(0, 6000))
})

test('suspends', async () => {
  const run = await support.start('Hello', { resourceId: 'ada' })
  for await (const chunk of run.stream()) if (chunk.type === 'suspended') break
  console.log(await run.status(), await run.suspension())
  await run.resume({ approved: true })
  expect((await run.result()).text).toBe('paid')
  const chunks = []
  for await (const chunk of run.stream()) chunks.push(chunk)
  console.log(chunks.map((c) => c.type))
})
