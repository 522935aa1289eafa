import { useEffect, useEffectEvent } from 'react'
import type { ChatMessage } from './chat-message.ts'

/** What the tabs of one browser tell each other. */
export type TabNews =
  /** An answer is being made. Its stream continues the messages. */
  | { type: 'answering'; threadId: string; messages: ChatMessage[] }
  /** An answer has ended. */
  | { type: 'answered'; threadId: string }
  /** Threads were made, changed or deleted. */
  | { type: 'threads' }

/** One for the tab: a second one would hear what the first says. */
const channel = new BroadcastChannel('fernhill-tabs')

/** Tells all other tabs. */
export function tellTabs(news: TabNews): void {
  channel.postMessage(news)
}

export function useTabNews(onNews: (news: TabNews) => void): void {
  const receive = useEffectEvent(onNews)
  useEffect(() => {
    const listen = ({ data }: MessageEvent<TabNews>): void => receive(data)
    channel.addEventListener('message', listen)
    return () => channel.removeEventListener('message', listen)
  }, [])
}
