import type { Message, ProcessInputArgs, ProcessOutputResultArgs } from '@millrace/core'

/** What the user says in this turn. */
export function userMessages({
  messages,
  messageList,
}: Pick<ProcessInputArgs, 'messages' | 'messageList'>): Message[] {
  return messages.filter(({ id, role }) => role === 'user' && messageList.originOf(id) === 'input')
}

/** What the model has answered in prose: nothing of a structured answer, whose words are not all there for people. */
export function proseAnswers({
  messages,
  result,
}: Pick<ProcessOutputResultArgs, 'messages' | 'result'>): Message[] {
  return result.object === undefined ? messages.filter(({ role }) => role === 'assistant') : []
}
