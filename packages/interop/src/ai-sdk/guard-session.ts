import { MillraceError, PipelineSession } from '@millrace/core'

/**
 * What processors keep of one conversation between calls of a guarded model, such as budgets, and what they have found in
 * messages that were sent before. It is for one conversation and one call at a time, lives in memory, and grows with the
 * conversation.
 */
export class GuardSession {
  /** @internal */
  readonly pipeline: PipelineSession = new PipelineSession()
  /** @internal */
  busy = false
}

/**
 * Takes the session for a call.
 *
 * @returns Gives it back
 * @throws MillraceError `CONFIG_INVALID` while another call has it
 */
export function useSession(session: GuardSession | undefined): () => void {
  if (session === undefined) return () => {}
  if (session.busy) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'The session is in use by another call, of which the stream may not have been read to its end. Give every conversation a GuardSession of its own, and make its calls one after the other.',
    )
  }
  session.busy = true
  return () => {
    session.busy = false
  }
}
