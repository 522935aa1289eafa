import type { Message } from '@millrace/core'

/** The message a turn answers. */
export function newestUserMessage(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role }) => role === 'user')
}
