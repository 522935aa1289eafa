import { MillraceError, type MillraceErrorCode } from '../../errors.ts'
import type { Pipeline } from '../../processors/pipeline.ts'
import type { RequestContext } from '../../request-context.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { ownerOf } from '../../storage/owner.ts'
import type { RunState, RunStore } from '../../storage/run-store.ts'
import { beginRun } from '../begin-run.ts'
import { restore } from './restore.ts'
import { readResumeData } from './resume-data.ts'

export interface ResumeOptions {
  runId: string
  /** What the run is resumed with, or throws why it cannot be. */
  data: () => unknown
  store: RunStore
  /** The processors of the run, once it is known whose it is. */
  pipelineFor: (requestContext: RequestContext) => Pipeline | Promise<Pipeline>
  /** Lists the tools of the run, where they depend on the request. */
  listTools: () => Promise<void> | undefined
}

/**
 * Puts a stored run into `run`, and returns the step it resumes in. It is claimed last: what speaks against resuming it
 * leaves it as it was.
 *
 * @throws MillraceError `RUN_NOT_FOUND`, `RUN_ALREADY_RESUMED`, `RUN_RELEASED`, `RUN_EXPIRED`, `RUN_INCOMPATIBLE` or
 * `RUN_RESUME_INVALID`
 */
export async function resumeRun(
  run: Run,
  { runId, data: given, store, pipelineFor, listTools }: ResumeOptions,
): Promise<Step | undefined> {
  const data = readResumeData(given)
  const owner = ownerOf(run.requestContext)
  const found = await store.getRun(runId, owner)
  if (found?.state !== 'suspended') throw notResumable(runId, found?.state)
  const { threadId, resourceId } = found.run
  // A store may not mind the owner.
  if (owner.resourceId !== resourceId) throw notResumable(runId, undefined)
  run.requestContext = run.requestContext.withIds({ threadId, resourceId })
  await beginRun(run, await pipelineFor(run.requestContext))
  await listTools()
  const step = restore(run, found.run, data)
  run.throwIfOver()
  const before = await store.claimRun(runId, 'resumed', owner)
  if (before !== 'suspended') throw notResumable(runId, before)
  run.resumedFrom = found.run
  return step
}

function notResumable(runId: string, state: RunState | undefined): MillraceError {
  const because = (code: MillraceErrorCode, why: string): MillraceError =>
    new MillraceError(code, `The run '${runId}' ${why}. Start a new run.`)
  switch (state) {
    case 'resumed':
      return because('RUN_ALREADY_RESUMED', 'has been resumed before; a run is resumed once')
    case 'released':
      return because('RUN_RELEASED', 'has been released')
    case 'expired':
      return because('RUN_EXPIRED', 'was not resumed in time (see suspensionTtl)')
    default:
      return new MillraceError(
        'RUN_NOT_FOUND',
        `There is no suspended run '${runId}' in the store. Check the id, the resourceId if it belongs to one, and that the agent has the storage it was suspended with.`,
      )
  }
}
