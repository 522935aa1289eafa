import { isToolUIPart } from 'ai'
import { ShieldAlert } from 'lucide-react'
import Markdown from 'react-markdown'
import { type ChatMessage, type ChatPart, textOf } from './chat-message.ts'
import { ToolCall } from './tool-call.tsx'

interface MessageProps {
  message: ChatMessage
  isBusy: boolean
  onAnswer: (approvalId: string, approved: boolean) => void
}

export function Message({ message, isBusy, onAnswer }: MessageProps) {
  if (message.role === 'user') {
    return (
      <li className="message from-user">
        <h2 className="visually-hidden">You</h2>
        <p className="bubble">{textOf(message)}</p>
      </li>
    )
  }
  return (
    <li className="message from-agent">
      <h2 className="visually-hidden">Fernhill Bicycles</h2>
      {partsOf(message).map((part, index) => (
        <Part key={index} part={part} isBusy={isBusy} onAnswer={onAnswer} />
      ))}
      {endOf(message) && <p className="notice">{endOf(message)}</p>}
    </li>
  )
}

/** The end of an incomplete answer, from the mark of the memory. */
function endOf({ metadata }: ChatMessage): string | undefined {
  const mark = metadata?.['millrace:turn']
  if (mark === 'stopped') return 'This answer was stopped.'
  return mark === 'failed' ? 'This answer was interrupted.' : undefined
}

/** The parts that guards have put in place of those before them, and the parts after them. */
function partsOf({ parts }: ChatMessage): readonly ChatPart[] {
  const index = parts.findLastIndex((part) => part.type === 'data-response-replaced')
  const replaced = parts[index]
  if (replaced?.type !== 'data-response-replaced') return parts
  return [...(replaced.data.parts as readonly ChatPart[]), ...parts.slice(index + 1)]
}

function Part({ part, isBusy, onAnswer }: { part: ChatPart } & Omit<MessageProps, 'message'>) {
  if (part.type === 'text') {
    return (
      <div className="prose">
        {/* Images would send requests that a model, or the author of its input, has chosen. */}
        <Markdown disallowedElements={['img']} components={{ a: SafeLink }}>
          {part.text}
        </Markdown>
      </div>
    )
  }
  if (isToolUIPart(part)) return <ToolCall part={part} isBusy={isBusy} onAnswer={onAnswer} />
  if (part.type === 'data-tripwire' || part.type === 'data-halt') {
    return (
      <p className="notice">
        <ShieldAlert aria-hidden size={16} />
        <span>This answer was retracted. {part.data.reason}</span>
      </p>
    )
  }
  return null
}

function SafeLink({ href, children }: { href?: string | undefined; children?: React.ReactNode }) {
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  )
}
