import type { HookName } from '../processors/processor.ts'
import { TripWire } from '../signals.ts'
import type { Run } from './run.ts'
import { Step } from './step.ts'
import type { StepOutput } from './step-output.ts'

const RETRY_HOOKS: ReadonlySet<HookName | undefined> = new Set([
  'processOutputStream',
  'processOutputStep',
  'processOutputResult',
])

/**
 * Takes back a rejected attempt at a step: from the transcript, and from the reader, if anything of it was emitted.
 * Returns the next attempt if the rejection asks for one and one is left; throws the error otherwise. A step whose
 * tools have run is not run again.
 */
export async function discardAttempt(
  run: Run,
  step: Step,
  output: StepOutput,
  error: unknown,
): Promise<Step> {
  if (!TripWire.isInstance(error) || run.over) throw error
  const { reason, processorId } = error
  const retry =
    error.retry &&
    RETRY_HOOKS.has(error.hook) &&
    !step.toolsRan &&
    run.retryCount < run.settings.maxProcessorRetries
  await output.discard({ retry })
  run.current = undefined
  if (!retry) throw error
  run.retryCount++
  run.feedback = reason
  return new Step(step.number, [...step.discarded, { reason, processorId, usage: step.usage }])
}
