import type { Message, MessageList } from '@millrace/core'

/**
 * Adds context messages right before this turn's user message. Behind the history, also where a client sends it along as
 * input: so the beginning of the prompt stays as it was in the turn before, and prompt caches hold.
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
