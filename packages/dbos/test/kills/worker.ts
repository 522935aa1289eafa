// A worker of the kill tests: works until it is killed.
import { flushCompileCache } from 'node:module'
import { DBOS } from '@dbos-inc/dbos-sdk'
import './application.ts'

const { MILLRACE_DATABASE = '', MILLRACE_EXECUTOR = '' } = process.env
DBOS.setConfig({
  name: 'kills',
  systemDatabaseUrl: MILLRACE_DATABASE,
  applicationVersion: 'workers',
  executorID: MILLRACE_EXECUTOR,
  logLevel: 'error',
})
await DBOS.launch()
// Who is killed writes no cache at its end.
flushCompileCache()
process.stdin.on('end', () => process.exit(0)).resume()
process.stdout.write('ready\n')
