import { type MessageList, textOfParts } from '@millrace/core'
import { newestUserMessage } from '../message-history/newest-user-message.ts'

/** Number of messages that a text may refer to: the last question and its answer. */
const TURNS = 2

/** The texts of the messages right before the newest user message. */
export function turnsBefore(messageList: MessageList): string[] {
  const newest = newestUserMessage(messageList.get('input'))
  const messages = [...messageList.get('remembered'), ...messageList.get('input')].filter(
    ({ role }) => role === 'user' || role === 'assistant',
  )
  const end = messages.findLastIndex(({ id }) => id === newest?.id)
  return messages
    .slice(Math.max(end - TURNS, 0), Math.max(end, 0))
    .map(({ content }) => textOfParts(content.parts))
    .filter((text) => text.trim() !== '')
}
