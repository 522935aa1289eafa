import type { Store } from '@millrace/core'
import { askedKills, isThorough } from '../thorough.ts'
import type { StoreJob } from './store-job.ts'
import { ownExecArgv, StoreProcess } from './store-process.ts'

/** How the stores of several processes are opened. */
export interface StorageProcessesOptions {
  /**
   * A module that exports `create(database)`, which opens a persistent store, as for `testStorage`; and, if there is
   * something to remove, `remove(database)`. A URL, such as `new URL('./open-store.ts', import.meta.url)`. Every process
   * imports it: it must not load a test runner.
   */
  module: URL | string
  /** Options of Node for the processes. Default: none. */
  execArgv?: readonly string[] | undefined
  /**
   * How many writers are killed; and as many processes that resume runs, or ten times as many where `MILLRACE_THOROUGH` is 1.
   * Default: `MILLRACE_KILLS`, else 6, or 100 where `MILLRACE_THOROUGH` is 1.
   */
  kills?: number | undefined
}

/** What a rule about several processes works with. */
export interface ProcessContext {
  readonly kills: number
  /** A store of this process, on the database that the others have too. */
  readonly store: Store
  /** Starts a process that opens the database, and begins the job when it is told to. */
  start(job: StoreJob): StoreProcess
  /** A file that does not exist yet. */
  newFile(): string
}

/** One behaviour a persistent store must show where several processes use it. Rejects if the store does not. */
export type ProcessRule = (context: ProcessContext) => Promise<void>

interface StoreModule {
  create: (database: string) => Store | Promise<Store>
  remove?: (database: string) => void | Promise<void>
}

/** Runs `use` on a database and a folder of its own, and leaves nothing of them, nor a process. */
export async function withProcesses(
  { module, execArgv = [], kills = askedKills ?? (isThorough ? 100 : 6) }: StorageProcessesOptions,
  use: ProcessRule,
): Promise<void> {
  const { mkdtempSync, rmSync } = process.getBuiltinModule('node:fs')
  const { join } = process.getBuiltinModule('node:path')
  const database = `millrace_${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`
  const folder = mkdtempSync(join(process.getBuiltinModule('node:os').tmpdir(), 'millrace-'))
  const { create, remove } = (await import(/* @vite-ignore */ String(module))) as StoreModule
  const store = await create(database)
  const started: StoreProcess[] = []
  let files = 0
  try {
    await store.migrate()
    await use({
      kills,
      store,
      start: (job) => {
        const options = { module: String(module), database, job }
        const child = new StoreProcess(options, [...ownExecArgv(), ...execArgv])
        started.push(child)
        return child
      },
      newFile: () => join(folder, `file-${files++}`),
    })
  } finally {
    for (const child of started) child.kill()
    await Promise.all(started.map(({ ended }) => ended))
    await store.close()
    await remove?.(database)
    rmSync(folder, { recursive: true, force: true })
  }
}
