import { useChat } from '@ai-sdk/react'
import { useEffect, useMemo, useState } from 'react'
import { stopAnswer } from './api.ts'
import type { ChatMessage } from './chat-message.ts'
import { ChatTransport } from './chat-transport.ts'
import { Composer } from './composer.tsx'
import { isAnswered } from './is-answered.ts'
import { forgetAnswered, keepAnswered } from './kept-answers.ts'
import { MessageList } from './message-list.tsx'
import { problemText } from './problem-text.ts'
import { tellTabs, useTabNews } from './tabs.ts'
import { Welcome } from './welcome.tsx'

interface ChatProps {
  threadId: string
  initial: ChatMessage[]
  isNew: boolean
  /** The first message was sent. */
  onBegun: () => void
  /** The thread has changed on the server. */
  onChanged: () => Promise<void>
  /** The connection was lost: what was said is to be read again. */
  onReload: () => void
}

export function Chat({ threadId, initial, isNew, onBegun, onChanged, onReload }: ChatProps) {
  const transport = useMemo(() => new ChatTransport(), [])
  const chat = useChat<ChatMessage>({
    id: threadId,
    messages: initial,
    transport,
    // After a reload: the answer that is still being made.
    resume: !isNew,
    sendAutomaticallyWhen: isAnswered,
    throttle: 30,
    onFinish: () => {
      forgetAnswered(threadId)
      tellTabs({ type: 'threads' })
      void onChanged()
    },
  })
  const { messages, status, error } = chat
  const isBusy = status === 'submitted' || status === 'streaming'
  // An answer that this tab asked for, and not one that it only reads.
  const [isOwn, setOwn] = useState(false)

  useEffect(() => {
    if (status !== 'streaming') return
    void onChanged()
  }, [status, onChanged])
  useEffect(() => {
    if (status !== 'submitted' || !isOwn) return
    const last = messages.at(-1)
    if (last?.role === 'assistant') keepAnswered(threadId, last)
    tellTabs({ type: 'answering', threadId, messages })
    setOwn(false)
  }, [status, isOwn, messages, threadId])
  useTabNews((news) => {
    if (news.type !== 'answering' || news.threadId !== threadId || isBusy) return
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
    setOwn(true)
    if (isNew && messages.length === 0) onBegun()
    void chat.sendMessage({ text })
  }
  const regenerate = () => {
    setOwn(true)
    void chat.regenerate()
  }
  const answer = (id: string, approved: boolean) => {
    setOwn(true)
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

/** What a screen reader announces: not every word as it comes, but that an answer begins and is there. */
function statusText(isBusy: boolean, messages: readonly ChatMessage[]): string {
  if (isBusy) return 'Answering.'
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return ''
  const isWaiting = last.parts.some((part) => 'state' in part && part.state === 'approval-requested')
  return isWaiting ? 'An action needs your approval.' : 'The answer is complete.'
}
