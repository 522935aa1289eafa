import { HOOKS, type HookName } from '../../hook-name.ts'
import type { ModelRequest } from '../../model/model-request.ts'
import type { Run } from '../../run/run.ts'
import { Step } from '../../run/step.ts'
import { newStepState } from '../../run/step-state.ts'
import { TripWire } from '../../signals.ts'
import { cancelHandoff } from '../handoff/cancel-handoff.ts'
import { StepRetracted } from '../handoff/relay-handoff.ts'
import type { StepOutput } from '../output/step-output.ts'
import { isModelFailure, processModelError, type Retry } from './process-model-error.ts'

/**
 * Handles a step that ended in an error. Returns the next attempt if a processor requests one and the maximum is not
 * reached; otherwise throws. What the attempt has emitted and written is discarded. A step whose tools have run is
 * not repeated.
 */
export async function nextAttempt(run: Run, step: Step, output: StepOutput, given: unknown): Promise<Step> {
  if (run.over) throw given
  if (given instanceof StepRetracted) {
    const { reason } = given
    await output.discard({ retry: true, reason })
    return anotherAttempt(step, { reason, processorId: undefined })
  }
  const error = await cancelHandoff(run, given)
  if (isModelFailure(error) && !step.state.reviewed) return afterModelFailure(run, step, output, error)
  if (!TripWire.isInstance(error)) throw error
  const retry =
    error.retry &&
    // A signal may come from another version of the package, so its hook is not trusted.
    HOOKS[error.hook as HookName]?.retries === true &&
    !step.state.toolsRan &&
    run.state.retryCount < run.settings.maxProcessorRetries
  const { reason, processorId } = error
  await output.discard({ retry, reason, processorId })
  // The calls of a step whose tools have run are still to be stored.
  if (!step.state.toolsRan) run.current = undefined
  if (!retry) throw error
  for (const { toolCallId } of step.state.toolCalls) run.callIds.delete(toolCallId)
  run.state.retryCount++
  run.state.feedback = reason
  run.state.handoff = undefined
  return anotherAttempt(step, { reason, processorId })
}

type ModelFailure = Parameters<typeof processModelError>[2]['error']

async function afterModelFailure(
  run: Run,
  step: Step,
  output: StepOutput,
  error: ModelFailure,
): Promise<Step> {
  // An incomplete answer is removed from the transcript before processors are called, which may take long.
  output.retract()
  const retry =
    step.modelRequest && (await askAbout(run, step, { output, error, request: step.modelRequest }))
  if (!retry) throw error
  await output.discard({ retry: true })
  const next = anotherAttempt(step, { reason: error.message, processorId: undefined })
  next.state.modelFailures++
  if (retry === 'prepare') return next
  next.state.settings = step.state.settings
  next.nextRequest = retry.request
  return next
}

async function askAbout(
  run: Run,
  step: Step,
  { output, ...failed }: { output: StepOutput; error: ModelFailure; request: ModelRequest },
): Promise<Retry | undefined> {
  try {
    return await processModelError(run, step, failed)
  } catch (signal) {
    if (TripWire.isInstance(signal)) {
      const { reason, processorId } = signal
      await output.discard({ retry: false, reason, processorId })
      run.current = undefined
    }
    throw signal
  }
}

function anotherAttempt(step: Step, why: { reason: string; processorId: string | undefined }): Step {
  const next = new Step(
    newStepState(step.number, [...step.state.discarded, { ...why, usage: step.state.usage }]),
  )
  next.state.modelFailures = step.state.modelFailures
  return next
}
