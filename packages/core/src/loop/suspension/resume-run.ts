import { MillraceError, type MillraceErrorCode } from '../../errors.ts'
import type { Pipeline } from '../../processors/pipeline.ts'
import { isRecord } from '../../record.ts'
import type { RequestContext } from '../../request-context.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { ownerOf } from '../../storage/owner.ts'
import type { FoundRun, RunState, RunStore, StoredRun } from '../../storage/run-store.ts'
import { TIMED_OUT } from '../../tools/call-answers.ts'
import { beginRun } from '../begin-run.ts'
import { checkBy, type MayAnswer, requireMayAnswer } from './may-answer.ts'
import { restore } from './restore.ts'
import { readResumeData } from './resume-data.ts'
import {
  decisionOf,
  decodeDecisions,
  decodeResumeData,
  encodeAnswers,
  encodeResumeData,
  type StoredDecisions,
} from './stored-data.ts'
import { StoredRunJournal, type StoredRunJournalOptions } from './stored-run-journal.ts'
import { answersTo, takeAnswers, waitingCallsOfRun } from './take-answers.ts'

export interface ResumeOptions {
  runId: string
  /** Returns the data that the run is resumed with, or throws if it could not be copied. */
  data: () => unknown
  store: RunStore
  /** Asked for each answer that is given. Default: the caller may give it. */
  mayAnswer: MayAnswer | undefined
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
  { runId, data: given, store, pipelineFor, listTools, journal, mayAnswer }: ResumeOptions,
): Promise<Step | undefined> {
  checkBy(run)
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
  const { step, decided } = await restoreWaiting(run, found, { asked, mayAnswer })
  run.throwIfOver()
  const { leaseMs, ttl } = journal
  const claim = await store.claimRun(runId, {
    owner,
    leaseMs,
    expiresIn: ttl,
    data: decided,
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

type WaitingRun = Extract<FoundRun, { state: 'suspended' | 'interrupted' }>

/**
 * Restores the run and applies the data to what it waits for. Returns the decisions in it, in their stored form.
 *
 * A stored decision is final, because the run may have acted on it. Passing it again is allowed: a caller does not
 * always know that the run was interrupted. Other data was not stored, so it is passed again.
 *
 * @throws MillraceError `RUN_RESUME_INVALID` if the data does not answer what the run waits for, or is not the same as
 *   before
 */
async function restoreWaiting(
  run: Run,
  found: WaitingRun,
  { asked, mayAnswer }: { asked: unknown; mayAnswer: MayAnswer | undefined },
): Promise<{ step: Step | undefined; decided: string | undefined }> {
  const { data: stored, calls } = found.state === 'interrupted' ? found : { data: undefined, calls: [] }
  const { step, isWaiting } = restore(run, found.run, { data: asked, calls })
  const [decisions, deciders = {}] = decodeDecisions(stored) ?? []
  const waiting = isWaiting ? waitingCallsOfRun(run, step) : []
  if (waiting.length === 0) {
    if (decisions) {
      if (!isSaidBefore(decisions, asked)) throw decidedBefore(found.run)
      return { step, decided: stored }
    }
    const data = asked === undefined ? decodeResumeData(stored) : asked
    if (stored !== undefined && encodeResumeData(data) !== stored) throw decidedBefore(found.run)
    if (isWaiting && run.resumption) run.resumption.data = data
    return { step, decided: encodeResumeData(data) }
  }
  const before = decisions ? answersTo(run, step, decisions) : new Map<string, unknown>()
  const given = asked === undefined && decisions ? new Map<string, unknown>() : answersTo(run, step, asked)
  for (const [id, answer] of before) {
    if (given.has(id) && decisionOf(given.get(id))?.approved !== decisionOf(answer)?.approved)
      throw decidedBefore(found.run)
  }
  for (const call of waiting) {
    const answer = given.get(call.toolCallId)
    if (mayAnswer && given.has(call.toolCallId) && answer !== TIMED_OUT)
      await requireMayAnswer(run, found.run, { call, mayAnswer })
  }
  const answers = new Map([...given, ...before])
  const byOf = (id: string): string | undefined =>
    before.has(id) ? new Map(Object.entries(deciders)).get(id) : run.by
  takeAnswers(run, step, { answers, byOf })
  return { step, decided: encodeAnswers(answers, byOf) }
}

/** Whether the data says nothing else about the calls than the stored decisions. */
function isSaidBefore(decisions: StoredDecisions[0], asked: unknown): boolean {
  if (asked === undefined) return true
  if (!isRecord(asked)) return false
  return Object.entries(decisions).every(([id, { approved }]) => {
    const answer = typeof asked.approved === 'boolean' ? asked : asked[id]
    return isRecord(answer) && answer.approved === approved
  })
}

function decidedBefore({ runId }: StoredRun): MillraceError {
  return new MillraceError(
    'RUN_RESUME_INVALID',
    `The run '${runId}' was interrupted after it had been resumed, and continues with the data of that resume. Resume it without data, or release it.`,
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
    'is being resumed by another call or process. Answer what it still waits for afterwards. If that process dies, it can be resumed after its lease has expired (see runLease)',
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
