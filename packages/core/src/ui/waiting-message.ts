import type { UIMessage } from '../messages/message.ts'
import type { SuspendedRun } from '../storage/run-store.ts'
import { waitingParts } from './waiting-parts.ts'

/**
 * A suspended run as the message that a chat client shows, for a client that has lost it: the waiting calls, with
 * approvals that can be answered, and a `data-suspended` part. The text before them is not included.
 *
 * @example
 * [...(await memory.getMessages(ids)).map(toUIMessage), ...(await agent.suspendedRuns(ids)).slice(-1).map(toWaitingMessage)]
 */
export function toWaitingMessage(run: SuspendedRun): UIMessage {
  return { id: run.runId, role: 'assistant', parts: [{ type: 'step-start' }, ...waitingParts(run)] }
}
