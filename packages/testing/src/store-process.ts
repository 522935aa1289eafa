// The program of a process that `testStorageInProcesses` starts. Nobody else needs it.
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { append, linesOf } from './storage-processes/call-file.ts'
import { runStoreJob } from './storage-processes/run-store-job.ts'
import type { StoreProcessOptions, StoreReport } from './storage-processes/store-job.ts'

/** Where the one who started the process listens. */
const REPORTS = 3

const { module, database, job } = JSON.parse(process.argv[2] ?? '') as StoreProcessOptions
// Written at once: what was said before the process is killed is heard.
const say = (report: StoreReport): void => void writeSync(REPORTS, `${JSON.stringify(report)}\n`)

const { create } = await import(module)
const store = await create(database)
await store.migrate()
// Nobody is left who could be told anything.
process.stdin.once('end', () => process.exit(1))
// A process that is killed leaves no cache for the next one.
flushCompileCache()
say({ type: 'ready' })
await new Promise((resolve) => process.stdin.once('data', resolve))
await runStoreJob(store, job, { say, append, linesOf })
await store.close()
say({ type: 'done' })
process.stdin.destroy()
