import { MillraceError, type MillraceErrorCode } from '../../errors.ts'
import type { Pipeline } from '../../processors/pipeline.ts'
import type { RequestContext } from '../../request-context.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { ownerOf } from '../../storage/owner.ts'
import type { FoundRun, RunState, RunStore } from '../../storage/run-store.ts'
import { beginRun } from '../begin-run.ts'
import { restore } from './restore.ts'
import { readResumeData } from './resume-data.ts'
import { decodeResumeData, encodeResumeData } from './stored-data.ts'
import { StoredRunJournal, type StoredRunJournalOptions } from './stored-run-journal.ts'

export interface ResumeOptions {
  runId: string
  /** Returns the data that the run is resumed with, or throws if it could not be copied. */
  data: () => unknown
  store: RunStore
  /** Creates the processors, once the owner of the run is known. */
  pipelineFor: (requestContext: RequestContext) => Pipeline | Promise<Pipeline>
  /** Lists the tools of the run, if they depend on the request. */
  listTools: () => Promise<void> | undefined
  journal: Pick<StoredRunJournalOptions, 'leaseMs' | 'ttl' | 'everyStep'>
}

/**
 * Restores a stored run into `run`, and returns the step in which it resumes. The run is claimed last, so that an
 * error before leaves it unchanged. A run that was interrupted after a resume continues with the decision of that
 * resume.
 *
 * @throws MillraceError `RUN_NOT_FOUND`, `RUN_ALREADY_RESUMED`, `RUN_RELEASED`, `RUN_EXPIRED`, `RUN_INCOMPATIBLE` or
 *   `RUN_RESUME_INVALID`
 */
export async function resumeRun(
  run: Run,
  { runId, data: given, store, pipelineFor, listTools, journal }: ResumeOptions,
): Promise<Step | undefined> {
  const asked = readResumeData(given)
  const owner = ownerOf(run.requestContext)
  const found = await store.getRun(runId, owner)
  if (found?.state !== 'suspended' && found?.state !== 'interrupted') throw notResumable(runId, found?.state)
  const { threadId, resourceId } = found.run
  // A store may ignore the owner, so it is checked here.
  if (owner.resourceId !== resourceId) throw notResumable(runId, undefined)
  run.requestContext = run.requestContext.withIds({ threadId, resourceId })
  await beginRun(run, await pipelineFor(run.requestContext))
  await listTools()
  const data = found.state === 'interrupted' ? resumedWith(found, asked) : asked
  const step = restore(run, found.run, { data, calls: found.state === 'interrupted' ? found.calls : [] })
  run.throwIfOver()
  const { leaseMs, ttl } = journal
  const claim = await store.claimRun(runId, {
    owner,
    leaseMs,
    expiresIn: ttl,
    data: encodeResumeData(data),
    ifVersion: found.version ?? 0,
  })
  // Another caller has claimed the run since it was read.
  if (claim?.attempt === undefined)
    throw notResumable(runId, claim && (isOpen(claim.state) ? 'running' : claim.state))
  run.journal = new StoredRunJournal(run, {
    ...journal,
    store,
    lease: { runId, attempt: claim.attempt, ...owner },
  })
  if (run.over) {
    // The run was aborted while it was being claimed, before it did anything.
    await run.journal.end('interrupted')
    run.throwIfOver()
  }
  const { snapshot: _, ...resumedFrom } = found.run
  run.resumedFrom = resumedFrom
  return step
}

/**
 * The data that an interrupted run continues with. A stored decision is final, because the run may have acted on it.
 * Passing the same data again is allowed: a caller does not always know that the run was interrupted. Data other than
 * decisions was not stored, so it is passed again.
 *
 * @throws MillraceError `RUN_RESUME_INVALID` if other data is passed than before
 */
function resumedWith({ run, data }: Extract<FoundRun, { state: 'interrupted' }>, asked: unknown): unknown {
  if (asked === undefined) return decodeResumeData(data)
  if (data === undefined || encodeResumeData(asked) === data) return asked
  throw new MillraceError(
    'RUN_RESUME_INVALID',
    `The run '${run.runId}' was interrupted after it had been resumed, and continues with the data of that resume. Resume it without data, or release it.`,
  )
}

/** Whether a run in this state can be resumed. */
export function isOpen(state: RunState | undefined): boolean {
  return state === 'suspended' || state === 'interrupted'
}

const WHY_NOT_RESUMABLE: Record<
  Exclude<RunState, 'suspended' | 'interrupted'>,
  [MillraceErrorCode, string]
> = {
  running: [
    'RUN_ALREADY_RESUMED',
    'is being resumed by another call or process. If that process dies, it can be resumed after its lease has expired (see runLease)',
  ],
  done: ['RUN_ALREADY_RESUMED', 'has been resumed before; a run is resumed once. Start a new run'],
  released: ['RUN_RELEASED', 'has been released. Start a new run'],
  expired: ['RUN_EXPIRED', 'was not resumed in time (see suspensionTtl). Start a new run'],
}

function notResumable(runId: string, state: RunState | undefined): MillraceError {
  if (state === undefined || state === 'suspended' || state === 'interrupted') {
    return new MillraceError(
      'RUN_NOT_FOUND',
      `There is no suspended run '${runId}' in the store. Check the id, the resourceId if it belongs to one, and that the agent has the storage it was suspended with.`,
    )
  }
  const [code, why] = WHY_NOT_RESUMABLE[state]
  return new MillraceError(code, `The run '${runId}' ${why}.`)
}
