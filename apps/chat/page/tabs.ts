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

const CHANNEL = 'fernhill-tabs'

/** Tells all other tabs. */
export function tellTabs(news: TabNews): void {
  const channel = new BroadcastChannel(CHANNEL)
  channel.postMessage(news)
  channel.close()
}

export function useTabNews(onNews: (news: TabNews) => void): void {
  const receive = useEffectEvent(onNews)
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL)
    channel.onmessage = ({ data }: MessageEvent<TabNews>) => receive(data)
    return () => channel.close()
  }, [])
}
