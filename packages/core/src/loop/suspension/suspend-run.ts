import type { RunResult, Suspension } from '../../results/result.ts'
import { hasCalledTools } from '../../run/has-called-tools.ts'
import type { Run } from '../../run/run.ts'
import { stepsInReview } from '../../run/steps-in-review.ts'
import type { Suspend } from '../../signals.ts'
import { ownerOf } from '../../storage/owner.ts'
import type { RunStore, StoredRun, SuspendedRun } from '../../storage/run-store.ts'
import { withoutLastStep } from '../../transcript/step-parts.ts'
import { type ResultWith, resultOf } from '../end/run-result.ts'
import { storeSuspended } from './store-suspended.ts'

export interface SuspendOptions {
  /** Called when the run suspends. */
  openStore: () => RunStore | Promise<RunStore>
  /** How long a suspended run can be resumed, in milliseconds. */
  ttl: number
  /** The methods to resume or release the run, once it is suspended and stored. */
  controls: (stored: SuspendedRun) => Pick<Suspension, 'resume' | 'release'>
}

/** Stores a run that suspends, and ends it. */
export async function suspendRun(
  run: Run,
  signal: Suspend,
  { openStore, ttl, controls }: SuspendOptions,
): Promise<RunResult> {
  await run.current?.output.tell()
  const store = await openStore()
  const stored = await storeSuspended(run, signal, { store, ttl })
  const result = suspended(run, stored)
  try {
    run.throwIfOver()
    await run.emit({ type: 'suspended', ...result.suspension })
    run.throwIfOver()
  } catch (error) {
    // The caller cannot know the stored run, so it is released. One that has called tools is kept, so that its calls
    // can be found.
    if (!run.journal && !hasCalledTools(run)) await store.releaseRun(stored.runId, ownerOf(stored))
    throw error
  }
  run.stop(signal)
  Object.assign(result.suspension, controls(stored))
  return result
}

/** The result of a suspended run, without a step in review. `resume` and `release` are added later. */
function suspended(
  run: Run,
  { runId, payload, processorId, hook, toolCallId }: StoredRun,
): ResultWith<'suspended'> {
  const open = run.current?.output.settle()
  const isInReview = open !== undefined && stepsInReview(run).includes(open)
  const steps = open && !isInReview ? [...run.steps, open] : run.steps
  const messages = run.messageList.get('response')
  const info: Omit<Suspension, 'resume' | 'release'> = { runId, payload, processorId, hook, toolCallId }
  return {
    ...resultOf(run, steps, open?.state.finishReason ?? 'other'),
    runId,
    messages: isInReview ? withoutLastStep(messages) : messages,
    status: 'suspended',
    tripwire: false,
    suspension: info as Suspension,
  }
}
