import type { StoredMessage } from '@millrace/core'
import { isBlocked } from '../message-history/turn-mark.ts'

/** Whether notes are taken of a message, and whether it is shown beside notes. */
export function isNotable({ message }: Pick<StoredMessage, 'message'>): boolean {
  return !isBlocked(message) && message.role !== 'system'
}
