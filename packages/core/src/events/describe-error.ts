import { MillraceError } from '../errors.ts'
import type { EventError } from './agent-events.ts'

/** An error as events show it. */
export function describeError(error: unknown): EventError {
  if (!(error instanceof Error))
    return { name: 'Error', code: undefined, message: String(error), stack: undefined }
  const { name, message, stack } = error
  return { name, code: MillraceError.isInstance(error) ? error.code : undefined, message, stack }
}
