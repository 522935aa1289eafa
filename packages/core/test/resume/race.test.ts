import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { matchers } from '@millrace/testing/matchers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payingAgent } from './race.ts'

expect.extend(matchers)

const program = fileURLToPath(new URL('./race.ts', import.meta.url))
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-race-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('of two processes that resume the same run at once, one succeeds, and the call is executed once', async () => {
  const paid: unknown[] = []
  const agent = payingAgent(folder, paid)
  const suspended = await agent.generate('Pay.', { threadId: 'thread' })
  expect(suspended).toHaveStatus('suspended')
  expect(await agent.suspendedRuns({ threadId: 'thread' })).toMatchObject([{ runId: suspended.runId }])

  const children = [start(suspended.runId), start(suspended.runId)]
  await Promise.all(children.map((child) => once(child, 'message')))
  const reports = Promise.all(children.map(async (child) => (await once(child, 'message'))[0]))
  for (const child of children) child.send('go')
  expect((await reports).toSorted((a, b) => b.paid - a.paid)).toEqual([
    { outcome: 'completed', paid: 1 },
    { outcome: 'RUN_ALREADY_RESUMED', paid: 0 },
  ])
  expect(paid).toEqual([])
  expect(await agent.suspendedRuns()).toEqual([])
  await expect(agent.resume(suspended.runId, { approved: true })).rejects.toMatchObject({
    code: 'RUN_ALREADY_RESUMED',
  })
})

function start(runId: string): ChildProcess {
  return fork(program, [folder, runId], { execArgv: ['--conditions=@millrace/source'] })
}
