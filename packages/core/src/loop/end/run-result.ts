import type { FinishReason, HaltInfo } from '../../results/outcome.ts'
import type { ProcessorRecord, RunResult, StepResult } from '../../results/result.ts'
import type { Run } from '../../run/run.ts'
import type { Step } from '../../run/step.ts'
import type { TripWire } from '../../signals.ts'
import type { LoopEnd } from './loop-end.ts'
import { settleStep } from './settle-step.ts'

export type ResultWith<STATUS extends RunResult['status']> = Extract<RunResult, { status: STATUS }>

/** The result of a run whose loop finished. */
export function finished(run: Run, { status, finishReason, object }: LoopEnd): RunResult {
  const base = resultOf(run, run.steps, finishReason)
  if (status === 'limit') return { ...base, status, tripwire: false }
  return { ...base, status, tripwire: false, object }
}

/** The result of a run that a processor aborted: accepted steps are kept, the rejected one is not. */
export function rejected(run: Run, tripwire: TripWire): ResultWith<'tripwire'> {
  const { reason, processorId, hook, metadata } = tripwire
  return {
    ...resultOf(run, run.steps, run.steps.at(-1)?.state.finishReason ?? 'other'),
    text: '',
    reasoningText: '',
    status: 'tripwire',
    tripwire: true,
    rejection: { reason, processorId, hook, metadata, retryCount: run.state.retryCount },
  }
}

/** The result of a run that a processor halted with its own answer. */
export function halted(run: Run): ResultWith<'halted'> {
  return {
    ...resultOf(run, run.steps, 'stop'),
    text: run.answer,
    reasoningText: '',
    status: 'halted',
    tripwire: false,
    halt: run.state.halt as HaltInfo,
  }
}

/** The result of a run that was aborted from outside: what was emitted until then. */
export function aborted(run: Run, abortReason: unknown): ResultWith<'aborted'> {
  const open = settleStep(run)
  return {
    ...resultOf(run, open ? [...run.steps, open] : run.steps, open?.state.finishReason ?? 'other'),
    status: 'aborted',
    tripwire: false,
    abortReason,
  }
}

/** What every result has. */
type AnyResult = Pick<
  RunResult,
  | 'runId'
  | 'text'
  | 'reasoningText'
  | 'messages'
  | 'steps'
  | 'usage'
  | 'finishReason'
  | 'processors'
  | 'warnings'
>

export function resultOf(run: Run, steps: readonly Step[], finishReason: FinishReason): AnyResult {
  const { id: runId, messageList } = run
  const { usage } = run.state
  const processors = run.records.map((record) => record.toResult())
  const byStep = new Map<number | undefined, ProcessorRecord[]>()
  for (const record of processors) {
    const records = byStep.get(record.stepNumber)
    if (records) records.push(record)
    else byStep.set(record.stepNumber, [record])
  }
  const last = steps.at(-1)
  return {
    runId,
    text: last?.state.text ?? '',
    reasoningText: last?.state.reasoningText ?? '',
    messages: messageList.get('response'),
    steps: steps.map(
      ({ result }): StepResult => ({
        ...result,
        processors: byStep.get(result.stepNumber) ?? [],
      }),
    ),
    usage,
    finishReason,
    processors,
    warnings: [...run.warnings],
  }
}
