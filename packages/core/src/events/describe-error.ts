import { MillraceError, messageOf, readable } from '../errors.ts'
import type { EventError } from '../results/agent-events.ts'
import type { RunWarning } from '../results/result.ts'

/** An error in the form of events. */
export function describeError(thrown: unknown): EventError {
  const error = readable(thrown)
  if (!(error instanceof Error))
    return { name: 'Error', code: undefined, message: messageOf(error), stack: undefined }
  const { name, message, stack } = error
  return { name, code: MillraceError.isInstance(error) ? error.code : undefined, message, stack }
}

/** A warning in the form of events. Errors of others have only a name, because their message may quote user content. */
export function describeWarning(warning: RunWarning): RunWarning {
  if (warning.type !== 'processor-skipped' || MillraceError.isInstance(warning.error)) return warning
  const { error } = warning
  return { ...warning, error: { name: error instanceof Error ? error.name : typeof error } }
}
