import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import type { RunState, RunStore, StoredRun, SuspendedRun } from '@millrace/core'

/** Suspended runs as files, shared by processes: whoever can rename a run's file has claimed the run. */
export class FileRunStore implements RunStore {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  async saveRun(run: StoredRun): Promise<void> {
    await mkdir(this.folder, { recursive: true })
    await writeFile(this.#path(run.runId, 'suspended'), JSON.stringify(run), { flag: 'wx' })
  }

  async getRun(runId: string): ReturnType<RunStore['getRun']> {
    try {
      const run: StoredRun = JSON.parse(await readFile(this.#path(runId, 'suspended'), 'utf8'))
      return run.expiresAt <= Date.now() ? { state: 'expired' } : { state: 'suspended', run }
    } catch {
      const state = await this.#stateOf(runId)
      return state === undefined || state === 'suspended' ? undefined : { state }
    }
  }

  async claimRun(runId: string, as: 'resumed' | 'released'): Promise<RunState | undefined> {
    try {
      await rename(this.#path(runId, 'suspended'), this.#path(runId, as))
      return 'suspended'
    } catch {
      return await this.#stateOf(runId)
    }
  }

  async listRuns({ threadId }: { threadId?: string }): Promise<SuspendedRun[]> {
    const names = await readdir(this.folder)
    const suspended = names.filter((name) => name.endsWith('.suspended'))
    const runs = await Promise.all(
      suspended.map(
        async (name): Promise<StoredRun> => JSON.parse(await readFile(`${this.folder}/${name}`, 'utf8')),
      ),
    )
    return runs
      .filter((run) => threadId === undefined || run.threadId === threadId)
      .map(({ snapshot: _, ...run }) => run)
  }

  async #stateOf(runId: string): Promise<RunState | undefined> {
    const name = (await readdir(this.folder)).find((name) => name.startsWith(`${runId}.`))
    return name?.slice(runId.length + 1) as RunState | undefined
  }

  #path(runId: string, state: RunState): string {
    return `${this.folder}/${runId}.${state}`
  }
}
