import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, type AgentOptions, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import { afterAll, afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { type DurableAgent, durable } from '../src/index.ts'
import { startDatabase } from './database.ts'

const server = await startDatabase()
afterEach(() => DBOS.shutdown({ deregister: true }))
afterAll(() => server.stop())

const pay = tool({ inputSchema: z.object({}).loose(), needsApproval: true, execute: () => 'done' })

/** An application with one agent, as it is deployed. */
async function deploy(options: Partial<AgentOptions>, applicationVersion?: string): Promise<DurableAgent> {
  const model = new ScriptedModel(({ prompt }) =>
    prompt.some(({ role }) => role === 'assistant') ? 'Paid.' : toolCall('pay', {}, { id: 'pay-1' }),
  )
  const support = durable(
    new Agent({ name: 'support', model, instructions: 'Be brief.', tools: { pay }, ...options }),
  )
  DBOS.setConfig({
    name: 'test',
    systemDatabaseUrl: server.url,
    logLevel: 'error',
    ...(applicationVersion !== undefined && { applicationVersion }),
  })
  await DBOS.launch()
  return support
}

async function suspended(support: DurableAgent): Promise<string> {
  const run = await support.start('Pay')
  for await (const { type } of run.stream()) if (type === 'suspended') break
  return run.workflowId
}

test('an agent with other processors, tools or instructions is another version of the application', async () => {
  const versions: string[] = []
  const changes: Partial<AgentOptions>[] = [
    {},
    {},
    { instructions: 'Be polite.' },
    { tools: { pay, look: pay } },
    { tools: { pay: { ...pay, description: 'Pays.' } } },
    { processors: [{ id: 'guard', processInput() {} }] },
  ]
  for (const change of changes) {
    await deploy(change)
    versions.push(DBOS.applicationVersion)
    await DBOS.shutdown({ deregister: true })
  }
  expect(versions[1]).toBe(versions[0])
  expect(new Set(versions).size).toBe(versions.length - 1)
})

test('a suspended run is continued by a process of the same version', async () => {
  const workflowId = await suspended(await deploy({}))
  await DBOS.shutdown({ deregister: true })
  const again = await deploy({})
  const run = await again.retrieve(workflowId)
  await run.resume({ approved: true })
  expect(await run.result()).toMatchObject({ text: 'Paid.' })
})

test('a process of another version does not execute it', async () => {
  const workflowId = await suspended(await deploy({}))
  await DBOS.shutdown({ deregister: true })
  const other = await deploy({ tools: {} })
  const run = await other.retrieve(workflowId)
  await run.resume({ approved: true })
  const { applicationVersion } = (await DBOS.getWorkflowStatus(workflowId)) ?? {}
  expect(applicationVersion).not.toBe(DBOS.applicationVersion)
  // The resumption data is stored until a process of the version takes it.
  await DBOS.shutdown({ deregister: true })
  const right = await deploy({})
  expect(await (await right.retrieve(workflowId)).result()).toMatchObject({ text: 'Paid.' })
})

test('a run fails with an error if the agent has lost its tool', async () => {
  const workflowId = await suspended(await deploy({}, 'pinned'))
  await DBOS.shutdown({ deregister: true })
  const other = await deploy({ tools: {} }, 'pinned')
  const run = await other.retrieve(workflowId)
  await run.resume({ approved: true })
  await expect(run.result()).rejects.toMatchObject({ code: 'RUN_INCOMPATIBLE' })
})
