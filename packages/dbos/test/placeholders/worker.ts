// Starts the run, or continues it if an earlier process has died. Exits when its stdin closes, or is killed.
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
