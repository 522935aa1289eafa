import type { Message, ProcessInputArgs, ProcessOutputResultArgs } from '@millrace/core'

/** The user's messages of this turn. */
export function userMessages({
  messages,
  messageList,
}: Pick<ProcessInputArgs, 'messages' | 'messageList'>): Message[] {
  return messages.filter(({ id, role }) => role === 'user' && messageList.originOf(id) === 'input')
}

/** The assistant's messages; none for a structured answer, which is not prose. */
export function proseAnswers({
  messages,
  result,
}: Pick<ProcessOutputResultArgs, 'messages' | 'result'>): Message[] {
  return result.object === undefined ? messages.filter(({ role }) => role === 'assistant') : []
}
