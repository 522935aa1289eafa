import { DBOS } from '@dbos-inc/dbos-sdk'
import { Agent, tool } from '@millrace/core'
import { ScriptedModel, toolCall } from '@millrace/testing'
import pg from 'pg'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { type DurableAgent, durable } from '../src/index.ts'
import { startDatabase } from './database.ts'

const server = await startDatabase()
// Creates the database, which DBOS does not do with a pool of the application.
DBOS.setConfig({ name: 'test', systemDatabaseUrl: server.url, logLevel: 'error' })
await DBOS.launch()
await DBOS.shutdown()

// A pool of the application, which DBOS does not close: a failure after the shutdown can still be recorded.
const pool = new pg.Pool({ connectionString: server.url })
pool.on('error', () => {})
afterEach(() => DBOS.shutdown({ deregister: true }))
afterAll(async () => {
  await pool.end()
  await server.stop()
})

async function deploy(): Promise<DurableAgent> {
  const pay = tool({ inputSchema: z.object({}).loose(), needsApproval: true, execute: () => 'done' })
  const model = new ScriptedModel(({ prompt }) =>
    prompt.some(({ role }) => role === 'assistant') ? 'Paid.' : toolCall('pay', {}, { id: 'pay-1' }),
  )
  const support = durable(new Agent({ name: 'support', model, tools: { pay } }))
  DBOS.setConfig({ name: 'test', systemDatabaseUrl: server.url, systemDatabasePool: pool, logLevel: 'error' })
  await DBOS.launch()
  return support
}

test('a run that begins to wait while DBOS shuts down is continued by the next process', async () => {
  // DBOS fails what waits when it shuts down.
  const isWaiting = Promise.withResolvers<void>()
  const isDown = Promise.withResolvers<never>()
  const recv = vi.spyOn(DBOS, 'recv').mockImplementation(() => {
    isWaiting.resolve()
    return isDown.promise
  })
  const { workflowId } = await (await deploy()).start('Pay')
  await isWaiting.promise
  await DBOS.shutdown({ deregister: true })
  const isInitialized = vi.spyOn(DBOS, 'isInitialized')
  isDown.reject(new Error('The system database has been shut down'))
  await vi.waitFor(() => expect(isInitialized).toHaveReturnedWith(false))
  recv.mockRestore()
  isInitialized.mockRestore()

  const run = await (await deploy()).retrieve(workflowId)
  await run.resume({ approved: true })
  expect(await run.result()).toMatchObject({ text: 'Paid.' })
})
