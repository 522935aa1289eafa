// The program of a process that `testStorageInProcesses` starts.
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { append, linesOf } from './storage-processes/call-file.ts'
import { runStoreJob } from './storage-processes/run-store-job.ts'
import type { StoreProcessOptions, StoreReport } from './storage-processes/store-job.ts'

/** The file descriptor of the reports to the parent process. */
const REPORTS = 3

const { module, database, job } = JSON.parse(process.argv[2] ?? '') as StoreProcessOptions
// Synchronous, so that the report arrives even if the process is killed next.
const say = (report: StoreReport): void => void writeSync(REPORTS, `${JSON.stringify(report)}\n`)

const { create } = await import(module)
const store = await create(database)
await store.migrate()
// The parent process has exited.
process.stdin.once('end', () => process.exit(1))
// A killed process does not write its compile cache.
flushCompileCache()
say({ type: 'ready' })
await new Promise((resolve) => process.stdin.once('data', resolve))
await runStoreJob(store, job, { say, append, linesOf })
await store.close()
say({ type: 'done' })
process.stdin.destroy()
