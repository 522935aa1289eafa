import type { StoredMessage } from '@millrace/core'
import { isBlocked } from '../message-history/turn-mark.ts'

/** Whether a message counts: for notes, and among what is shown with them. */
export function isNotable({ message }: Pick<StoredMessage, 'message'>): boolean {
  return !isBlocked(message) && message.role !== 'system'
}
