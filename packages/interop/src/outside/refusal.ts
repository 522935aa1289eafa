import { MillraceError, Suspend } from '@millrace/core'

/** A suspension as an error: in another framework there is no run to be resumed. Any other error as it is. */
export function asRefusal(error: unknown, where: string): unknown {
  if (!Suspend.isInstance(error)) return error
  const { processorId, hook } = error
  return new MillraceError(
    'RUN_SUSPEND_UNSUPPORTED',
    `The processor '${processorId}' suspended in ${hook}, and ${where} has no run that could be resumed. Use it in an Agent of Millrace, or let it abort here.`,
    { cause: error },
  )
}
