import type { Message, MessageList } from '@millrace/core'

/**
 * Adds context messages right before the user message of this turn, after the history, also if a client sends
 * the history as input. The beginning of the prompt stays the same between turns, so that prompt caches can
 * be used.
 */
export function addContext(messageList: MessageList, messages: readonly Message[]): MessageList {
  messageList.add(messages, 'context')
  const isTurn = ({ id, role }: Message): boolean => role === 'user' && messageList.originOf(id) === 'input'
  const all = messageList.get()
  const turn = all.findLastIndex(isTurn)
  if (turn === all.findIndex(({ id }) => messageList.originOf(id) === 'input')) return messageList
  const added = new Set(messages)
  const kept = (message: Message): boolean => !added.has(message)
  return messageList.set([...all.slice(0, turn).filter(kept), ...messages, ...all.slice(turn)])
}
