import { isToolPart, type Message, type ThreadKey } from '@millrace/core'
import type { Memory } from '@millrace/memory'

/** All messages of a thread; empty if there is no such thread. */
export async function storedMessages(
  memory: Memory,
  { threadId, resourceId = '' }: ThreadKey,
): Promise<Message[]> {
  const thread = { threadId, resourceId }
  return (await memory.getThreadById(thread)) ? memory.getMessages(thread) : []
}

/** The parts of stored answers that are not calls with an outcome. Of a blocked turn nothing else stays. */
export function besidesCalls(messages: readonly Message[]): unknown[] {
  const parts = messages.flatMap(({ role, content }) => (role === 'assistant' ? content.parts : []))
  return parts.filter(
    (part) => part.type !== 'step-start' && !(isToolPart(part) && part.state.startsWith('output-')),
  )
}
