import { isToolUIPart } from 'ai'
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

/** The messages of the server, with the one that was answered in its place, as the stream of its run continues it. */
export function takeAnswered(threadId: string, messages: ChatMessage[]): ChatMessage[] {
  const kept = localStorage.getItem(key(threadId))
  if (kept === null) return messages
  const answered = JSON.parse(kept) as ChatMessage
  const calls = callsOf(answered)
  const others = messages.filter((message) => !callsOf(message).some((id) => calls.includes(id)))
  return [...others, answered]
}

function callsOf({ parts }: ChatMessage): string[] {
  return parts.filter(isToolUIPart).map(({ toolCallId }) => toolCallId)
}
