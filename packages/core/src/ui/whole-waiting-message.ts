import { parseSnapshot } from '../loop/suspension/compatibility.ts'
import { isToolPart, type MessagePart, type UIMessage } from '../messages/message.ts'
import { shownMessages } from '../run/shown-messages.ts'
import type { RunStore, StoredRun } from '../storage/run-store.ts'
import { waitingParts } from './waiting-parts.ts'

/** The message of a suspended run; `undefined` if this owner has no such run. */
export async function findWaitingMessage(
  store: RunStore,
  runId: string,
  owner: { resourceId?: string },
): Promise<UIMessage | undefined> {
  const found = await store.getRun(runId, owner)
  if (found?.state !== 'suspended' && found?.state !== 'interrupted') return undefined
  // A store may ignore the owner, so it is checked here.
  return found.run.resourceId === owner.resourceId ? wholeWaitingMessage(found.run) : undefined
}

/**
 * A suspended run as the message that a chat client shows, with the id that the client knows: the emitted part of the
 * answer, from the stored run, and what the run waits for.
 */
function wholeWaitingMessage(run: StoredRun): UIMessage {
  const waiting = waitingParts(run)
  const { messages: entries, current } = parseSnapshot(run)
  const messages = entries
    .filter(({ message, origin }) => origin === 'response' && message.role === 'assistant')
    .map(({ message }) => message)
  const [first] = messages
  const shown = shownMessages(messages, current)
  const calls = new Map(waiting.flatMap((part) => (isToolPart(part) ? [[part.toolCallId, part]] : [])))
  const sent = first ? shown.flatMap(({ content }) => content.parts) : [{ type: 'step-start' as const }]
  const parts = sent.map((part): MessagePart => {
    const call = isToolPart(part) ? calls.get(part.toolCallId) : undefined
    if (call) calls.delete(call.toolCallId)
    return call ?? part
  })
  const others = waiting.filter((part) => !isToolPart(part))
  const id = first?.id ?? run.runId
  return { id, role: 'assistant', parts: [...parts, ...calls.values(), ...others] }
}
