// Works on the run, and continues it if a process before this one has died. It ends when its input does, or is killed.
import { DBOS } from '@dbos-inc/dbos-sdk'
import { writing } from './application.ts'

process.stdin.on('end', () => process.exit(0)).resume()
DBOS.setConfig({
  name: 'placeholders',
  systemDatabaseUrl: process.env.MILLRACE_DATABASE ?? '',
  applicationVersion: 'workers',
  executorID: 'worker',
  logLevel: 'error',
})
await DBOS.launch()
await writing.start('Write to jo@example.com', { workflowId: 'run' })
