// How often processes were killed at random moments on an SQLite file, and what was lost or done twice: `pnpm bench --chart kills`.
import { killedWriter } from '../../../../packages/testing/src/storage-processes/killed-writer.ts'
import {
  type ProcessRule,
  withProcesses,
} from '../../../../packages/testing/src/storage-processes/process-context.ts'
import { resumedAfterKill } from '../../../../packages/testing/src/storage-processes/resumed-once.ts'

export interface KillsFigure {
  what: string
  kills: number
  /** What the rule of the store's test found: nothing, or the first fault. */
  fault?: string
}

const RULES: readonly (readonly [what: string, rule: ProcessRule])[] = [
  ['writers of turns: an acknowledged turn is lost, or half a turn is there', killedWriter],
  ['runs that resume after an approval: a tool call is lost, or made twice', resumedAfterKill],
]

const module = new URL('../../../../packages/store-sqlite/test/open-store.ts', import.meta.url)

/** Kills so many processes for each rule. */
export async function measureKills(kills: number): Promise<KillsFigure[]> {
  const figures: KillsFigure[] = []
  for (const [what, rule] of RULES) {
    const fault = await withProcesses({ module, kills }, rule).then(
      () => undefined,
      (error) => String(error),
    )
    figures.push({ what, kills, ...(fault !== undefined && { fault }) })
  }
  return figures
}
