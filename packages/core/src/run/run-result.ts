import type { LoopEnd } from '../loop.ts'
import type { TripWire } from '../signals.ts'
import type { FinishReason, RunResult, StepResult } from './result.ts'
import type { Run } from './run.ts'
import type { Step } from './step.ts'

/** The result of a run whose loop came to its end. */
export function finished(run: Run, { status, finishReason, object }: LoopEnd): RunResult {
  const base = resultOf(run, run.steps, finishReason)
  if (status === 'limit') return { ...base, status, tripwire: false }
  return { ...base, status, tripwire: false, object: object as undefined }
}

/** The result of a run that a processor aborted: the steps before stand, nothing of the rejected one does. */
export function rejected(run: Run, tripwire: TripWire): Extract<RunResult, { status: 'tripwire' }> {
  const { reason, processorId, hook, metadata } = tripwire
  return {
    ...resultOf(run, run.steps, run.steps.at(-1)?.finishReason ?? 'other'),
    text: '',
    reasoningText: '',
    status: 'tripwire',
    tripwire: true,
    rejection: { reason, processorId, hook, metadata, retryCount: run.retryCount },
  }
}

/** The result of a run that was aborted from outside: what had been emitted by then. */
export function aborted(run: Run, abortReason: unknown): RunResult {
  const open = run.current?.output.settle()
  return {
    ...resultOf(run, open ? [...run.steps, open] : run.steps, 'other'),
    status: 'aborted',
    tripwire: false,
    abortReason,
  }
}

function resultOf(run: Run, steps: readonly Step[], finishReason: FinishReason) {
  const { id: runId, usage, messageList } = run
  const processors = run.records.filter(({ calls }) => calls > 0).map((record) => record.toResult())
  const last = steps.at(-1)
  return {
    runId,
    text: last?.text ?? '',
    reasoningText: last?.reasoningText ?? '',
    messages: messageList.get('response'),
    steps: steps.map(
      ({ result }): StepResult => ({
        ...result,
        processors: processors.filter(({ stepNumber }) => stepNumber === result.stepNumber),
      }),
    ),
    usage,
    finishReason,
    processors,
    warnings: [...run.warnings],
  }
}
