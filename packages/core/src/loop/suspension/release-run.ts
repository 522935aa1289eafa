import type { Pipeline } from '../../processors/pipeline.ts'
import type { Processor } from '../../processors/processor.ts'
import type { RequestContext } from '../../request-context.ts'
import { hasCalledTools } from '../../run/has-called-tools.ts'
import type { Run } from '../../run/run.ts'
import { ownerOf } from '../../storage/owner.ts'
import type { FoundRun, RunLease, RunStore, StoredRun } from '../../storage/run-store.ts'
import { beginRun } from '../begin-run.ts'
import { reviewIncomplete, type UnwrittenReview } from '../end/review-incomplete.ts'
import { unwrittenError } from '../end/unwritten.ts'
import { StepOutput } from '../output/step-output.ts'
import { writeOutcomes } from '../tools/known-outcomes.ts'
import { restore } from './restore.ts'
import { isOpen } from './resume-run.ts'
import { isLeaseLost, StoredRunJournal, type StoredRunJournalOptions } from './stored-run-journal.ts'

export interface ReleaseOptions {
  runId: string
  store: RunStore
  pipelineFor: (requestContext: RequestContext) => Pipeline | Promise<Pipeline>
  listTools: () => Promise<void> | undefined
  journal: Pick<StoredRunJournalOptions, 'leaseMs' | 'ttl' | 'everyStep'>
}

type OpenRun = Extract<FoundRun, { state: 'suspended' | 'interrupted' }>

interface KeepOptions extends ReleaseOptions {
  lease: RunLease
  found: OpenRun
  pipeline: Pipeline
}

/**
 * Releases a stored run. Returns whether it could have been resumed. If a processor keeps incomplete answers, every
 * call of the run is first written to its thread with its known outcome; a run that has called no tool leaves
 * nothing. The run is claimed meanwhile, so that no other process continues it. A run that cannot be read is released
 * too, and the reason is emitted as an event.
 *
 * @throws MillraceError `RUN_THREAD_UNWRITTEN` if the store fails; the run can still be resumed or released
 */
export async function releaseRun(run: Run, options: ReleaseOptions): Promise<boolean> {
  const { runId, store } = options
  const owner = ownerOf(run.requestContext)
  for (;;) {
    const found = await store.getRun(runId, owner)
    if (found?.state !== 'suspended' && found?.state !== 'interrupted') return false
    const pipeline = await keepingPipeline(run, found.run, options)
    if (!pipeline) return isOpen(await store.releaseRun(runId, owner))
    const { leaseMs, ttl } = options.journal
    const claim = await store.claimRun(runId, {
      owner,
      leaseMs,
      expiresIn: ttl,
      ifVersion: found.version ?? 0,
    })
    if (claim?.attempt !== undefined) {
      const lease = { runId, attempt: claim.attempt, ...owner }
      return keepAndRelease(run, { ...options, lease, found, pipeline })
    }
    // The run has changed since it was read, and can still be resumed: it is read again.
    if (!isOpen(claim?.state)) return false
  }
}

/**
 * The pipeline of a run if one of its processors keeps incomplete answers. `undefined` if there is none, or the
 * pipeline cannot be created.
 */
async function keepingPipeline(
  run: Run,
  { threadId, resourceId }: StoredRun,
  { pipelineFor }: ReleaseOptions,
): Promise<Pipeline | undefined> {
  // A store may ignore the owner, so it is checked here.
  if (ownerOf(run.requestContext).resourceId !== resourceId) return undefined
  run.requestContext = run.requestContext.withIds({ threadId, resourceId })
  try {
    const pipeline = await pipelineFor(run.requestContext)
    return keeperIn(pipeline) && pipeline
  } catch {
    // A function for the agent's processors may throw, because it depends on the request.
    return undefined
  }
}

function keeperIn({ processOutputResult }: Pipeline): Processor | undefined {
  return processOutputResult?.find(({ keepsIncomplete }) => keepsIncomplete)
}

async function keepAndRelease(
  run: Run,
  { lease, found, pipeline, store, journal: options, listTools }: KeepOptions,
): Promise<boolean> {
  const journal = new StoredRunJournal(run, { ...options, store, lease })
  const work = keep(run, found, { pipeline, listTools })
  run.waitUntil(work, { processorId: keeperIn(pipeline)?.id ?? '', hook: 'processOutputResult' })
  const unwritten = await work.catch(() => undefined)
  try {
    await journal.end(unwritten ? 'interrupted' : 'released')
    if (unwritten) throw unwrittenError(unwritten.signal)
    return true
  } catch (error) {
    // The lease of this process has expired, and another process has claimed the run.
    if (isLeaseLost(error)) return false
    throw error
  }
}

async function keep(
  run: Run,
  found: OpenRun,
  { pipeline, listTools }: Pick<KeepOptions, 'pipeline' | 'listTools'>,
): Promise<UnwrittenReview | undefined> {
  await beginRun(run, pipeline)
  await listTools()
  const calls = found.state === 'interrupted' ? found.calls : []
  const { step } = restore(run, found.run, { data: undefined, calls, isReleased: true })
  if (step) run.current = { step, output: new StepOutput(run, step) }
  if (!hasCalledTools(run)) return undefined
  if (step) writeOutcomes(run, step)
  const { incomplete } = run.state
  return reviewIncomplete(run, incomplete ?? 'stopped', { callsOnly: incomplete !== undefined })
}
