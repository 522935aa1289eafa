import { MillraceError, refuseSuspend } from '@millrace/core'
import { rejectionOf } from '../ai-sdk/guard-rejection.ts'

/** What LangChain gets of an error: a rejection, or the provider's own. */
export function refusalOf(error: unknown): unknown {
  const own =
    MillraceError.isInstance(error) && error.code === 'RUN_SUSPEND_UNSUPPORTED' ? error.cause : error
  return rejectionOf(refuseSuspend(own, 'a call of LangChain'))
}
