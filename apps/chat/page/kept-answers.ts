import type { ChatMessage } from './chat-message.ts'

/**
 * The message whose approval was just given. Until its run ends, the server knows it as neither waiting nor said; a page
 * that is loaded meanwhile needs it, because the stream continues it.
 */
const key = (threadId: string): string => `fernhill-answered:${threadId}`

export function keepAnswered(threadId: string, message: ChatMessage): void {
  localStorage.setItem(key(threadId), JSON.stringify(message))
}

export function forgetAnswered(threadId: string): void {
  localStorage.removeItem(key(threadId))
}

/** The messages of the server, and the one that was answered where it is not among them. */
export function takeAnswered(threadId: string, messages: ChatMessage[]): ChatMessage[] {
  const kept = localStorage.getItem(key(threadId))
  if (kept === null || messages.at(-1)?.role === 'assistant') return messages
  return [...messages, JSON.parse(kept) as ChatMessage]
}
