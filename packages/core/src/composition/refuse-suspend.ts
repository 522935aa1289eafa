import { MillraceError } from '../errors.ts'
import { Suspend } from '../signals.ts'

/**
 * Converts a suspension to the error `RUN_SUSPEND_UNSUPPORTED`, for a {@link ProcessorPipeline} in another framework,
 * where runs cannot be resumed. Returns any other error unchanged.
 *
 * @param where What has no run, such as `a model of the AI SDK`
 */
export function refuseSuspend(error: unknown, where: string): unknown {
  if (!Suspend.isInstance(error)) return error
  const { processorId, hook } = error
  return new MillraceError(
    'RUN_SUSPEND_UNSUPPORTED',
    `The processor '${processorId}' suspended in ${hook}, but ${where} has no run that can be resumed. Use it in an Agent of Millrace, or call abort() instead.`,
    { cause: error },
  )
}
