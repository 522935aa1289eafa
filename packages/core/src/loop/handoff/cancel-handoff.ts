import { MillraceError } from '../../errors.ts'
import type { Run } from '../../run/run.ts'
import { Suspend } from '../../signals.ts'
import { countUsage } from './count-usage.ts'

/**
 * Ends the run of the agent that has the turn, where there is one: an error, or a processor, ends the step that passes on
 * what it says.
 *
 * @returns The error, or the one that takes its place
 */
export async function cancelHandoff(run: Run, error: unknown): Promise<unknown> {
  const live = run.handoff
  if (!live) return error
  run.handoff = undefined
  run.state.handoff = undefined
  await live.chunks.return?.()
  await countUsage(run, live).catch(() => {})
  return Suspend.isInstance(error) ? refused(error, live.agentName) : error
}

/** The agent cannot be stopped halfway and resumed. */
function refused({ processorId, hook }: Suspend, agentName: string): MillraceError {
  return new MillraceError(
    'PROCESSOR_FAILED',
    `The processor '${processorId}' suspended in ${hook} while the agent '${agentName}', which has the turn, was still at work. Suspend over its last step, or in processOutputResult.`,
  )
}
