import type { Message, ThreadKey } from '@millrace/core'
import type { Memory } from '@millrace/memory'

/** All messages of a thread; empty if there is no such thread. */
export async function storedMessages(
  memory: Memory,
  { threadId, resourceId = '' }: ThreadKey,
): Promise<Message[]> {
  const thread = { threadId, resourceId }
  return (await memory.getThreadById(thread)) ? memory.getMessages(thread) : []
}
