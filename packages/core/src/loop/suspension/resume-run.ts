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
  /** What the run is resumed with, or throws why it cannot be. */
  data: () => unknown
  store: RunStore
  /** The processors of the run, once it is known whose it is. */
  pipelineFor: (requestContext: RequestContext) => Pipeline | Promise<Pipeline>
  /** Lists the tools of the run, where they depend on the request. */
  listTools: () => Promise<void> | undefined
  journal: Pick<StoredRunJournalOptions, 'leaseMs' | 'ttl' | 'everyStep'>
}

/**
 * Puts a stored run into `run`, and returns the step it resumes in. It is claimed last: what speaks against resuming it
 * leaves it as it was. An interrupted run was resumed before: it continues with the decision of then.
 *
 * @throws MillraceError `RUN_NOT_FOUND`, `RUN_ALREADY_RESUMED`, `RUN_RELEASED`, `RUN_EXPIRED`, `RUN_INCOMPATIBLE` or
 * `RUN_RESUME_INVALID`
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
  // A store may not mind the owner.
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
  // It was found to be resumable, and is not any more: another caller has claimed it.
  if (claim?.attempt === undefined)
    throw notResumable(runId, claim && (isOpen(claim.state) ? 'running' : claim.state))
  run.journal = new StoredRunJournal(run, {
    ...journal,
    store,
    lease: { runId, attempt: claim.attempt, ...owner },
  })
  if (run.over) {
    // It was stopped while it was claimed, and has done nothing.
    await run.journal.end('interrupted')
    run.throwIfOver()
  }
  const { snapshot: _, ...resumedFrom } = found.run
  run.resumedFrom = resumedFrom
  return step
}

/**
 * What an interrupted run was resumed with. A decision counts: the run may have acted on it. The same data again is no
 * mistake; who resumes the run does not always know that it was interrupted. Other data was not stored, and is given again.
 *
 * @throws MillraceError `RUN_RESUME_INVALID` if the run is now to be resumed with something else
 */
function resumedWith({ run, data }: Extract<FoundRun, { state: 'interrupted' }>, asked: unknown): unknown {
  if (asked === undefined) return decodeResumeData(data)
  if (data === undefined || encodeResumeData(asked) === data) return asked
  throw new MillraceError(
    'RUN_RESUME_INVALID',
    `The run '${run.runId}' was interrupted after it had been resumed, and continues with what it was resumed with then. Resume it without data, or release it.`,
  )
}

/** It can be resumed. */
export function isOpen(state: RunState | undefined): boolean {
  return state === 'suspended' || state === 'interrupted'
}

const WHY_NOT_RESUMABLE: Record<
  Exclude<RunState, 'suspended' | 'interrupted'>,
  [MillraceErrorCode, string]
> = {
  running: [
    'RUN_ALREADY_RESUMED',
    'is being resumed by another call or process. If that one dies, it can be resumed again when its lease lapses (see runLease)',
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
