import { RotateCcw } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { ChatMessage } from './chat-message.ts'
import { Message } from './message.tsx'

interface MessageListProps {
  messages: readonly ChatMessage[]
  isBusy: boolean
  problem: string | undefined
  onRegenerate: () => void
  onAnswer: (approvalId: string, approved: boolean) => void
}

/** The list follows new content if its end is within this distance, in pixels. */
const NEAR = 80

export function MessageList({ messages, isBusy, problem, onRegenerate, onAnswer }: MessageListProps) {
  const list = useRef<HTMLElement>(null)
  const follows = useRef(true)
  const isWaiting = messages
    .at(-1)
    ?.parts.some((part) => 'state' in part && part.state === 'approval-requested')

  useEffect(() => {
    const element = list.current
    if (element && follows.current) element.scrollTop = element.scrollHeight
  }, [messages, isBusy, problem])

  return (
    <section
      ref={list}
      className="messages"
      aria-label="Messages"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < NEAR
      }}
    >
      <ol className="message-list">
        {messages.map((message) => (
          <Message key={message.id} message={message} isBusy={isBusy} onAnswer={onAnswer} />
        ))}
        {isBusy && messages.at(-1)?.role === 'user' && (
          <li className="thinking" aria-hidden>
            <span />
            <span />
            <span />
          </li>
        )}
      </ol>
      {problem !== undefined && (
        <p className="notice danger" role="alert">
          {problem}
        </p>
      )}
      {!isBusy && !isWaiting && messages.length > 0 && (
        <div className="after">
          <button type="button" className="quiet-button" onClick={onRegenerate}>
            <RotateCcw aria-hidden size={14} /> Regenerate
          </button>
        </div>
      )}
    </section>
  )
}
