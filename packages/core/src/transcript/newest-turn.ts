import type { Message } from '../messages/message.ts'
import type { MessageList } from './message-list.ts'

/**
 * Index of the newest user message that was not created in this run: the current turn starts there. Messages that are
 * not in the transcript, such as a processor's note for one model call, are ignored.
 */
export function newestTurn(messages: readonly Message[], messageList: MessageList): number {
  const newest = messages.findLastIndex(({ id, role }) => {
    const origin = messageList.originOf(id)
    return role === 'user' && origin !== undefined && origin !== 'response'
  })
  if (newest !== -1) return newest
  const firstResponse = messages.findIndex(({ id }) => messageList.originOf(id) === 'response')
  return firstResponse === -1 ? messages.length - 1 : firstResponse
}
