// A worker of the kill tests. It gets its executor id on stdin, and works until it is killed.
import { once } from 'node:events'
import { flushCompileCache } from 'node:module'
import { DBOS } from '@dbos-inc/dbos-sdk'
import './application.ts'

// A killed process does not write its compile cache.
flushCompileCache()
process.stdin.on('end', () => process.exit(0))
const [executorID] = await once(process.stdin.setEncoding('utf8'), 'data')
DBOS.setConfig({
  name: 'kills',
  systemDatabaseUrl: process.env.MILLRACE_DATABASE ?? '',
  applicationVersion: 'workers',
  executorID,
  logLevel: 'error',
})
await DBOS.launch()
process.stdout.write('ready\n')
