import type { RunResult } from '../../results/result.ts'
import type { LiveHandoff } from '../../run/handoff.ts'
import type { Run } from '../../run/run.ts'

/**
 * Counts what the agent that had the turn has used, once, with the whole of it: a suspended run brings along what it had
 * used.
 *
 * @returns The result of the agent's run
 */
export async function countUsage(run: Run, live: LiveHandoff): Promise<RunResult> {
  const result = await live.result
  if (!live.isCounted) run.addUsage(result.usage)
  live.isCounted = true
  return result
}
