import type { Pipeline } from '../../processors/pipeline.ts'
import type { RequestContext } from '../../request-context.ts'
import { ownCalls } from '../../run/own-calls.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import { ownerOf } from '../../storage/owner.ts'
import type { FoundRun } from '../../storage/run-store.ts'
import type { Answer } from '../../tools/decision.ts'
import { beginRun } from '../begin-run.ts'
import { reviewIncomplete } from '../end/review-incomplete.ts'
import { ResponseWriter } from '../output/response-writer.ts'
import { StepOutput } from '../output/step-output.ts'
import { answerChunk } from '../tools/answer-chunk.ts'
import { INTERRUPTED, OUTPUT_LOST } from './replay-calls.ts'
import { restore } from './restore.ts'

export interface KeepReleasedOptions {
  pipelineFor: (requestContext: RequestContext) => Pipeline | Promise<Pipeline>
  listTools: () => Promise<void> | undefined
}

/**
 * Has what a stored run has done kept by processors that keep such answers, before the run is given up: every call it has made is
 * in its thread, with what is known of it. A run that has called no tool leaves nothing. Never rejects: a run that cannot be
 * read is given up without that, and the reason is an event.
 */
export async function keepReleased(
  run: Run,
  found: FoundRun | undefined,
  options: KeepReleasedOptions,
): Promise<void> {
  if (found?.state !== 'suspended' && found?.state !== 'interrupted') return
  const { threadId, resourceId } = found.run
  if (ownerOf(run.requestContext).resourceId !== resourceId) return
  run.requestContext = run.requestContext.withIds({ threadId, resourceId })
  const pipeline = await pipelineOf(run, options)
  const keeper = pipeline?.processOutputResult?.find(({ keepsIncomplete }) => keepsIncomplete)
  if (!pipeline || !keeper) return
  const work = keep(run, found, { ...options, pipelineFor: () => pipeline })
  run.waitUntil(work, { processorId: keeper.id, hook: 'processOutputResult' })
  await work.catch(() => {})
}

/** `undefined` where the agent's processors depend on the request, and cannot be told. */
async function pipelineOf(run: Run, { pipelineFor }: KeepReleasedOptions): Promise<Pipeline | undefined> {
  try {
    return await pipelineFor(run.requestContext)
  } catch {
    return undefined
  }
}

async function keep(
  run: Run,
  found: Extract<FoundRun, { state: 'suspended' | 'interrupted' }>,
  { pipelineFor, listTools }: KeepReleasedOptions,
): Promise<void> {
  await beginRun(run, await pipelineFor(run.requestContext))
  await listTools()
  const calls = found.state === 'interrupted' ? found.calls : []
  const step = restore(run, found.run, { data: undefined, calls, isReleased: true })
  if (![step, ...run.steps].some((one) => one?.state.toolsRan)) return
  if (step) {
    run.current = { step, output: new StepOutput(run, step) }
    writeOutcomes(run, step)
  }
  await reviewIncomplete(run, 'stopped')
}

/** Writes what is known of each call of the step into the transcript. */
function writeOutcomes(run: Run, step: Step): void {
  const writer = new ResponseWriter(run, step)
  for (const call of ownCalls(step.state).slice(step.state.answered)) {
    const answer = answerOf(run, step, call)
    if (answer) writer.write(answerChunk(call, answer))
  }
}

/** What processors have yet to see of an answer is not kept. `undefined` for a call that was not executed. */
function answerOf(
  { pipeline }: Run,
  { state }: Step,
  { toolCallId }: { toolCallId: string },
): Answer | undefined {
  const { [toolCallId]: interrupted } = state.interrupted
  const { [toolCallId]: answer } = state.answers
  if (!answer)
    return interrupted && { status: 'error', error: interrupted.executed ? OUTPUT_LOST : INTERRUPTED }
  if (pipeline.processToolResult === null || state.reviewedAnswers[toolCallId] === null) return answer
  return answer.status === 'denied' ? { status: 'denied' } : { status: 'error', error: OUTPUT_LOST }
}
