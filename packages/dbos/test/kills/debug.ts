import { DBOS } from '@dbos-inc/dbos-sdk'
import { isRecord } from '@millrace/core'
import { startDatabase } from '../database.ts'
import { agents, QUEUE } from './application.ts'
import { Workers } from './workers.ts'

const KILLS = Number(process.argv[2] ?? 0)
const server = await startDatabase()
const workers = new Workers(server.url, () =>
  workers.kills >= KILLS || Math.random() > 1 / 4
    ? { kill: false }
    : { kill: true, after: Math.random() * 40, answered: Math.random() < 0.8 },
)
DBOS.setConfig({
  name: 'kills',
  systemDatabaseUrl: server.url,
  applicationVersion: 'reader',
  executorID: 'reader',
  logLevel: 'error',
})
await DBOS.launch()
const t0 = Date.now()
await workers.start(3)
console.log('started', Date.now() - t0)
const labels = Array.from({ length: 4 }, (_, index) => `c-${index}`)
const handles = await Promise.all(
  labels.map((label) =>
    DBOS.enqueueWorkflowWithOptions<string[]>(
      { workflowName: 'campaign', queueName: QUEUE, appVersion: 'workers', workflowID: label },
      label,
    ),
  ),
)
let left = 4
handles.map((h) =>
  h
    .getResult({ pollingIntervalMs: 100 })
    .then(
      (r) => console.log(r),
      (e) => console.log('ERR', e),
    )
    .finally(() => left--),
)
let n = 0
while (left > 0) {
  for (const agent of Object.values(agents))
    for (const s of await agent.suspendedRuns()) {
      const { workflowId, payload } = s
      const type = isRecord(payload) ? payload.type : ''
      const run = await agent.retrieve(workflowId)
      try {
        await run.resume(type === 'tool-approval' ? { approved: true } : { output: 'It was done.' })
        console.log('answered', workflowId, type)
      } catch (e) {
        console.log('resume', workflowId, (e as Error).message)
      }
    }
  await new Promise((r) => setTimeout(r, 200))
  if (++n % 25 === 0) {
    console.log(Date.now() - t0, 'kills', workers.kills, 'deeds', workers.deeds.length)
    for (const w of await DBOS.listWorkflows({ status: ['PENDING', 'ENQUEUED'], loadInput: false }))
      console.log(' ', w.workflowID, w.workflowName, w.status, w.queueName, w.executorId, w.recoveryAttempts)
  }
}
console.log('done', Date.now() - t0, workers.kills, workers.deeds.length)
await workers.stop()
await DBOS.shutdown()
await server.stop()
process.exit(0)
