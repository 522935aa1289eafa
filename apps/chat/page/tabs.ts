import { useEffect, useEffectEvent } from 'react'
import type { ChatMessage } from './chat-message.ts'

/** Messages between the tabs of one browser. */
export type TabNews =
  /** An answer is in progress. Its stream continues the messages. */
  | { type: 'answering'; threadId: string; messages: ChatMessage[] }
  /** An answer has ended. */
  | { type: 'answered'; threadId: string }
  /** Threads were created, changed or deleted. */
  | { type: 'threads' }

/** One channel per tab: a second one would receive the messages of the first. */
const channel = new BroadcastChannel('fernhill-tabs')

/** Notifies all other tabs. */
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
