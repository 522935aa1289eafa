import type { RunResult } from '../../results/result.ts'
import type { LiveHandoff } from '../../run/handoff.ts'
import type { Run } from '../../run/run.ts'

/**
 * Adds the usage of the agent that had the turn, once. A resumed agent's usage includes what it used before.
 *
 * @returns The result of the agent's run
 */
export async function countUsage(run: Run, live: LiveHandoff): Promise<RunResult> {
  const result = await live.result
  if (!live.isCounted) run.addUsage(result.usage)
  live.isCounted = true
  return result
}
