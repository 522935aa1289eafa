import { useChat } from '@ai-sdk/react'
import { useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import { listMessages, stopAnswer } from './api.ts'
import type { ChatMessage } from './chat-message.ts'
import { ChatTransport } from './chat-transport.ts'
import { Composer } from './composer.tsx'
import { isAnswered } from './is-answered.ts'
import { MessageList } from './message-list.tsx'
import { problemText } from './problem-text.ts'
import { tellTabs, useTabNews } from './tabs.ts'
import { Welcome } from './welcome.tsx'

interface ChatProps {
  threadId: string
  initial: ChatMessage[]
  isNew: boolean
  /** Called when the first message was sent. */
  onBegun: () => void
  /** Called when the thread has changed on the server. */
  onChanged: () => Promise<void>
  /** Called when the connection was lost, to reload the messages. */
  onReload: () => void
}

export function Chat({ threadId, initial, isNew, onBegun, onChanged, onReload }: ChatProps) {
  const readAgain = useEffectEvent(async () => {
    const stored = await listMessages(threadId)
    if (stored) chat.setMessages(stored)
  })
  const transport = useMemo(
    () => new ChatTransport(() => void (isUnanswered(chat.messages) && readAgain())),
    [],
  )
  // The messages that this tab has sent, until it has told the other tabs.
  const asked = useRef<ChatMessage[]>(undefined)
  const isOwn = useRef(false)
  const chat = useChat<ChatMessage>({
    id: threadId,
    messages: initial,
    transport,
    // After a reload: reads an answer in progress.
    resume: !isNew,
    sendAutomaticallyWhen: ({ messages }) => {
      const last = messages.at(-1)
      return last !== undefined && isAnswered(last)
    },
    throttle: 30,
    onFinish: () => {
      if (isOwn.current) tellTabs({ type: 'answered', threadId })
      isOwn.current = false
      void onChanged()
    },
  })
  const { messages, status, error } = chat
  const isBusy = status === 'submitted' || status === 'streaming'

  useEffect(() => {
    if (status === 'streaming') void onChanged()
  }, [status, onChanged])
  useEffect(() => {
    if (!isOwn.current) return
    if (status === 'submitted') asked.current = messages
    if (status !== 'streaming' || !asked.current) return
    tellTabs({ type: 'answering', threadId, messages: asked.current })
    asked.current = undefined
  }, [status, messages, threadId])
  useTabNews((news) => {
    if (news.type === 'threads' || news.threadId !== threadId || isBusy) return
    if (news.type === 'answered') return void readAgain()
    chat.setMessages(news.messages)
    void chat.resumeStream()
  })

  useEffect(() => {
    if (!error) return
    addEventListener('online', onReload)
    return () => removeEventListener('online', onReload)
  }, [error, onReload])

  const [stopProblem, setStopProblem] = useState<string>()
  const stop = async () => {
    try {
      await stopAnswer(threadId)
      setStopProblem(undefined)
    } catch (cause) {
      setStopProblem(problemText(cause))
    }
  }
  const send = (text: string) => {
    isOwn.current = true
    if (isNew && messages.length === 0) onBegun()
    void chat.sendMessage({ text })
  }
  const regenerate = () => {
    isOwn.current = true
    void chat.regenerate()
  }
  const answer = (id: string, approved: boolean) => {
    isOwn.current = true
    void chat.addToolApprovalResponse({ id, approved })
  }

  const problem = stopProblem ?? (error && problemText(error))
  return (
    <main className="chat">
      {messages.length === 0 && !isBusy ? (
        <Welcome onAsk={send} />
      ) : (
        <MessageList
          messages={messages}
          isBusy={isBusy}
          problem={problem}
          onRegenerate={regenerate}
          onAnswer={answer}
        />
      )}
      <p role="status" className="visually-hidden">
        {statusText(isBusy, messages)}
      </p>
      <Composer isBusy={isBusy} onSend={send} onStop={stop} />
    </main>
  )
}

/** Whether an answer is expected. */
function isUnanswered(messages: readonly ChatMessage[]): boolean {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return last !== undefined
  return last.parts.some((part) => 'state' in part && part.state === 'approval-responded')
}

/** What a screen reader announces: not every word, but the start and the end of an answer. */
function statusText(isBusy: boolean, messages: readonly ChatMessage[]): string {
  if (isBusy) return 'Answering.'
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return ''
  const isWaiting = last.parts.some((part) => 'state' in part && part.state === 'approval-requested')
  return isWaiting ? 'An action needs your approval.' : 'The answer is complete.'
}
