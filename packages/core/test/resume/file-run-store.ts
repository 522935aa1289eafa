import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import type {
  FoundRun,
  RunClaim,
  RunLease,
  RunState,
  RunStore,
  StoredRun,
  SuspendedRun,
} from '@millrace/core'

/** Runs as files, shared by processes: whoever can rename a run's file has claimed the run. No lease expires. */
export class FileRunStore implements RunStore {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  async saveRun(run: StoredRun): Promise<void> {
    await mkdir(this.folder, { recursive: true })
    await writeFile(this.#path(run.runId, 'suspended'), JSON.stringify(run), { flag: 'wx' })
  }

  async getRun(runId: string): Promise<FoundRun | undefined> {
    try {
      const run: StoredRun = JSON.parse(await readFile(this.#path(runId, 'suspended'), 'utf8'))
      return run.expiresAt <= Date.now() ? { state: 'expired' } : { state: 'suspended', run }
    } catch {
      const state = await this.#stateOf(runId)
      if (state === 'running') return { state, attempt: 1, leaseUntil: Number.POSITIVE_INFINITY }
      return state === 'done' || state === 'released' ? { state } : undefined
    }
  }

  async claimRun(runId: string): Promise<RunClaim | undefined> {
    if (await this.#move(runId, 'suspended', 'running')) return { state: 'suspended', attempt: 1 }
    const state = await this.#stateOf(runId)
    return state && { state }
  }

  async updateRun(): Promise<void> {}

  async endRun({ runId }: RunLease, as: 'done' | 'interrupted' | 'released'): Promise<void> {
    await this.#move(runId, 'running', as === 'interrupted' ? 'suspended' : as)
  }

  async releaseRun(runId: string): Promise<RunState | undefined> {
    return (await this.#move(runId, 'suspended', 'released')) ? 'suspended' : this.#stateOf(runId)
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

  async #move(runId: string, from: RunState, to: RunState): Promise<boolean> {
    try {
      await rename(this.#path(runId, from), this.#path(runId, to))
      return true
    } catch {
      return false
    }
  }

  async #stateOf(runId: string): Promise<RunState | undefined> {
    const name = (await readdir(this.folder)).find((name) => name.startsWith(`${runId}.`))
    return name?.slice(runId.length + 1) as RunState | undefined
  }

  #path(runId: string, state: RunState): string {
    return `${this.folder}/${runId}.${state}`
  }
}
