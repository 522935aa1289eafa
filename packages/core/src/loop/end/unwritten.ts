import { MillraceError } from '../../errors.ts'
import type { Processor } from '../../processors/processor.ts'
import { isRecord } from '../../record.ts'
import type { Run } from '../../run/run.ts'
import { isSignal, Suspend } from '../../signals.ts'
import type { ThreadUnwrittenPayload } from '../../tools/thread-unwritten.ts'

/**
 * The suspension of a run that has called tools, after a processor that stores answers has failed with this error. The
 * run is stored in place of its thread, and the processor is called again when the run is resumed. An error of the
 * caller, a signal, or the end of the run is returned unchanged.
 */
export function unwritten(run: Run, { id }: Processor, { error, stage }: Failure): unknown {
  const { cause = error } = (error ?? {}) as { cause?: unknown }
  const code = [cause, error].find(MillraceError.isInstance)?.code
  if (run.over || isSignal(error) || code?.startsWith('CONFIG_')) return error
  const signal = new Suspend({
    type: 'thread-unwritten',
    code: 'RUN_THREAD_UNWRITTEN',
    message: `The run has called tools and its thread could not be written${code ? ` (${code})` : ''}. Resume the run without data when the store works again: that writes the thread, and calls no tool.`,
  } satisfies ThreadUnwrittenPayload)
  return Object.assign(signal, { processorId: id, hook: 'processOutputResult', stage })
}

interface Failure {
  error: unknown
  /** The name of the processor in the pipeline. */
  stage: string | undefined
}

/** Whether a run is suspended because its thread could not be written. */
export function isUnwritten(signal: unknown): signal is Suspend {
  return Suspend.isInstance(signal) && isRecord(signal.payload) && signal.payload.type === 'thread-unwritten'
}

/** The error for a caller that gets no result: the run is not released. */
export function unwrittenError({ payload }: Suspend): MillraceError {
  const { code, message } = payload as ThreadUnwrittenPayload
  return new MillraceError(code, message)
}
