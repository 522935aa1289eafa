import { MillraceError, PipelineSession } from '@millrace/core'

/**
 * Keeps the state of processors between calls of a guarded model, such as budgets and findings in earlier
 * messages. It is for one conversation and one call at a time, lives in memory, and grows with the
 * conversation.
 */
export class GuardSession {
  /** @internal */
  readonly pipeline: PipelineSession = new PipelineSession()
  /** @internal */
  busy = false
}

/**
 * Acquires the session for a call.
 *
 * @returns A function that releases it
 */
export function useSession(session: GuardSession | undefined): () => void {
  if (session === undefined) return () => {}
  if (session.busy) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'The session is in use by another call. Its stream may not have been read to the end. Use one GuardSession per conversation, and one call at a time.',
    )
  }
  session.busy = true
  return () => {
    session.busy = false
  }
}
