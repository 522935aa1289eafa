import { MillraceError } from '../../errors.ts'
import type { Run } from '../../run/run.ts'
import { Suspend } from '../../signals.ts'
import { countUsage } from './count-usage.ts'

/**
 * Stops the run of the agent that has the turn, if there is one, because an error or a processor has ended the step
 * that relays it.
 *
 * @returns The error, or the one that replaces it
 */
export async function cancelHandoff(run: Run, error: unknown): Promise<unknown> {
  const live = run.handoff
  if (!live) return error
  run.handoff = undefined
  run.state.handoff = undefined
  await live.chunks.return?.()
  await countUsage(run, live).catch(() => {})
  return Suspend.isInstance(error) ? suspendRefused(error, live.agentName) : error
}

/** The error for a suspension in a step that relays an agent: that agent cannot be stopped halfway and resumed. */
function suspendRefused({ processorId, hook }: Suspend, agentName: string): MillraceError {
  return new MillraceError(
    'PROCESSOR_FAILED',
    `The processor '${processorId}' suspended in ${hook} while the agent '${agentName}', which has the turn, was still running. Suspend on its last step, or in processOutputResult.`,
  )
}
