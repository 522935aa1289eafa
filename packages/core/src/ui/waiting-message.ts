import type { UIMessage } from '../messages/message.ts'
import type { SuspendedRun } from '../storage/run-store.ts'
import { waitingParts } from './waiting-parts.ts'

/**
 * A run that waits as the message a chat client holds meanwhile, for a client that has lost it: the calls that wait,
 * with approvals that can be answered, and a `data-suspended` part. What was said before them is not in it.
 *
 * @example [...(await memory.getMessages(ids)).map(toUIMessage), ...(await agent.suspendedRuns(ids)).slice(-1).map(toWaitingMessage)]
 */
export function toWaitingMessage(run: SuspendedRun): UIMessage {
  return { id: run.runId, role: 'assistant', parts: [{ type: 'step-start' }, ...waitingParts(run)] }
}
