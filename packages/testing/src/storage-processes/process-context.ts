import type { OptionNames, Store } from '@millrace/core'
import { askedKills, isThorough } from '../thorough.ts'
import type { StoreJob } from './store-job.ts'
import { ownExecArgv, StoreProcess } from './store-process.ts'

/** Options of `testStorageInProcesses`. */
export interface StorageProcessesOptions {
  /**
   * The URL of a module, such as `new URL('./open-store.ts', import.meta.url)`. It exports `create(database)`, which opens
   * a persistent store, as for `testStorage`, and optionally `remove(database)`. Every process imports it, so it must not
   * import a test runner.
   */
  module: URL | string
  /** Node options of the processes. Default: none. */
  execArgv?: readonly string[] | undefined
  /**
   * How many writers are killed. As many processes that resume runs are killed, or ten times as many with
   * `MILLRACE_THOROUGH=1`. Default: `MILLRACE_KILLS`, else 6, or 100 with `MILLRACE_THOROUGH=1`.
   */
  kills?: number | undefined
}

export const STORAGE_PROCESSES_OPTIONS: OptionNames<StorageProcessesOptions> = {
  module: 'required',
  execArgv: 'optional',
  kills: 'optional',
}

/** The context of a rule about several processes. */
export interface ProcessContext {
  readonly kills: number
  /** A store of this process, on the shared database. */
  readonly store: Store
  /** Starts a process, which opens the database and waits for `go()`. */
  start(job: StoreJob): StoreProcess
  /** The path of a new file. */
  newFile(): string
}

/** A required behavior of persistent stores that several processes use. Rejects if the store violates it. */
export type ProcessRule = (context: ProcessContext) => Promise<void>

interface StoreModule {
  create: (database: string) => Store | Promise<Store>
  remove?: (database: string) => void | Promise<void>
}

/** Runs `use` with a new database and folder, and removes both and all processes afterwards. */
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
