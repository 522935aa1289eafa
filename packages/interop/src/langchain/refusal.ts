import { MillraceError, refuseSuspend } from '@millrace/core'
import { rejectionOf } from '../ai-sdk/guard-rejection.ts'

/** The error for LangChain: a rejection, or the provider's own error. */
export function refusalOf(error: unknown): unknown {
  const own =
    MillraceError.isInstance(error) && error.code === 'RUN_SUSPEND_UNSUPPORTED' ? error.cause : error
  return rejectionOf(refuseSuspend(own, 'a call of LangChain'))
}
