import { useCallback, useEffect, useState } from 'react'
import { listMessages } from './api.ts'
import { Chat } from './chat.tsx'
import type { ChatMessage } from './chat-message.ts'
import { problemText } from './problem-text.ts'

interface ConversationProps {
  threadId: string
  /** A new thread has no messages to load. */
  isNew: boolean
  onBegun: () => void
  onChanged: () => Promise<void>
}

/** Loads the messages of a thread and shows them. */
export function Conversation({ threadId, isNew, onBegun, onChanged }: ConversationProps) {
  // Incremented for each load; 0 for a new thread.
  const [reading, setReading] = useState(isNew ? 0 : 1)
  const [messages, setMessages] = useState<ChatMessage[] | undefined>(isNew ? [] : undefined)
  const [problem, setProblem] = useState<string>()

  useEffect(() => {
    if (reading === 0) return
    let isOpen = true
    listMessages(threadId).then(
      (found) => {
        if (!isOpen) return
        if (found) setMessages(found)
        else setProblem('This conversation does not exist, or was deleted.')
      },
      (error: unknown) => isOpen && setProblem(problemText(error)),
    )
    return () => {
      isOpen = false
    }
  }, [threadId, reading])

  const onReload = useCallback(() => {
    setMessages(undefined)
    setReading((count) => count + 1)
  }, [])

  if (problem !== undefined) {
    return (
      <main className="empty" role="alert">
        <p>{problem}</p>
      </main>
    )
  }
  if (!messages) return <main className="empty" aria-busy="true" aria-label="Conversation" />
  return (
    <Chat
      key={reading}
      threadId={threadId}
      initial={messages}
      isNew={reading === 0}
      onBegun={onBegun}
      onChanged={onChanged}
      onReload={onReload}
    />
  )
}
