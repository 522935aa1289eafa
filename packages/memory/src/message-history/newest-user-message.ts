import type { Message } from '@millrace/core'

/** The user message that the turn answers. */
export function newestUserMessage(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role }) => role === 'user')
}
