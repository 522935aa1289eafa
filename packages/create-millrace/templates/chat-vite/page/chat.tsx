'use client'
import './chat.css'
import { useChat } from '@ai-sdk/react'
import { DefaultChatTransport, getToolName, isToolUIPart } from 'ai'
import { type SubmitEvent, useEffect, useState } from 'react'
import { CHAT, type ChatMessage, listMessages, openThread, stopAnswer } from './api.ts'
import { isAnswered } from './is-answered.ts'

/** The open conversation, loaded from the server, and a button for a new one. */
export function Chat() {
  const [threadId, setThreadId] = useState<string>()
  const [messages, setMessages] = useState<ChatMessage[]>()
  const [problem, setProblem] = useState<string>()

  const open = (isNew: boolean) => {
    setMessages(undefined)
    openThread(isNew)
      .then(async (id) => {
        setMessages(await listMessages(id))
        setThreadId(id)
      })
      .catch((error: Error) => setProblem(error.message))
  }
  useEffect(() => open(false), [])

  return (
    <main className="chat">
      <header>
        <h1>Chat</h1>
        <button type="button" onClick={() => open(true)}>
          New conversation
        </button>
      </header>
      {problem !== undefined && <p role="alert">{problem}</p>}
      {threadId !== undefined && messages && (
        <Conversation key={threadId} threadId={threadId} initial={messages} />
      )}
    </main>
  )
}

function Conversation({ threadId, initial }: { threadId: string; initial: ChatMessage[] }) {
  const { messages, status, error, sendMessage, addToolApprovalResponse } = useChat<ChatMessage>({
    id: threadId,
    messages: initial,
    transport: new DefaultChatTransport({ api: CHAT }),
    // Reconnects to an answer that is still running when the page is loaded.
    resume: initial.length > 0,
    sendAutomaticallyWhen: ({ messages }) => isAnswered(messages),
  })
  const isBusy = status === 'submitted' || status === 'streaming'

  const send = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const text = String(new FormData(form).get('text')).trim()
    if (text === '' || isBusy) return
    void sendMessage({ text })
    form.reset()
  }

  return (
    <>
      <ol aria-label="Messages">
        {messages.map((message) => (
          <li key={message.id} className={message.role}>
            {message.parts.map((part, index) => (
              <Part
                key={index}
                part={part}
                onAnswer={(id, approved) => void addToolApprovalResponse({ id, approved })}
              />
            ))}
          </li>
        ))}
      </ol>
      {error && <p role="alert">{problemText(error)}</p>}
      <form onSubmit={send}>
        <input name="text" aria-label="Your message" placeholder="Ask about your orders" autoComplete="off" />
        {isBusy ? (
          <button type="button" onClick={() => void stopAnswer(threadId)}>
            Stop
          </button>
        ) : (
          <button type="submit">Send</button>
        )}
      </form>
    </>
  )
}

interface PartProps {
  part: ChatMessage['parts'][number]
  onAnswer: (approvalId: string, approved: boolean) => void
}

function Part({ part, onAnswer }: PartProps) {
  if (part.type === 'text') return <p>{part.text}</p>
  if (part.type === 'data-tripwire') return <p className="notice">Blocked: {part.data.reason}</p>
  if (!isToolUIPart(part)) return null
  return (
    <section className="tool" data-state={part.state}>
      <code>
        {getToolName(part)} {JSON.stringify(part.input)}
      </code>
      {part.state === 'approval-requested' && (
        <div>
          <button type="button" onClick={() => onAnswer(part.approval.id, true)}>
            Approve
          </button>
          <button type="button" onClick={() => onAnswer(part.approval.id, false)}>
            Deny
          </button>
        </div>
      )}
      {part.state === 'output-available' && <code>→ {JSON.stringify(part.output)}</code>}
      {part.state === 'output-error' && <span>Failed: {part.errorText}</span>}
      {part.state === 'output-denied' && <span>Denied</span>}
    </section>
  )
}

/** The error of the server, from its JSON, or that it cannot be reached. */
function problemText({ message }: Error): string {
  try {
    return (JSON.parse(message) as { error: { message: string } }).error.message
  } catch {
    return message
  }
}
