// How often processes were killed at random moments, and what was lost or done twice. `pnpm bench --chart kills` records it.
import { killedWriter } from '../src/storage-processes/killed-writer.ts'
import { type ProcessRule, withProcesses } from '../src/storage-processes/process-context.ts'
import { resumedAfterKill } from '../src/storage-processes/resumed-once.ts'

export interface KillCount {
  what: string
  kills: number
  /** What the rule of the store's test found: nothing, or the first fault. */
  fault?: string
}

const RULES: readonly (readonly [what: string, rule: ProcessRule])[] = [
  ['writers of turns: an acknowledged turn is lost, or half a turn is there', killedWriter],
  ['runs that resume after an approval: a tool call is lost, or made twice', resumedAfterKill],
]

/** Kills so many processes for each rule, on the store that a module opens: see `testStorageInProcesses`. */
export async function countKills(options: { module: URL; kills: number }): Promise<KillCount[]> {
  const figures: KillCount[] = []
  for (const [what, rule] of RULES) {
    const fault = await withProcesses(options, rule).then(
      () => undefined,
      (error) => String(error),
    )
    figures.push({ what, kills: options.kills, ...(fault !== undefined && { fault }) })
  }
  return figures
}
