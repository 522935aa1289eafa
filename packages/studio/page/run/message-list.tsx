import type { MessageView, PartView } from '../../src/wire.ts'
import { JsonView, TextView } from '../parts/text-view.tsx'

const ROLES: Readonly<Record<MessageView['role'], string>> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
}

export function MessageList({ messages }: { messages: readonly MessageView[] }) {
  return (
    <ol className="stack">
      {messages.map(({ role, parts }, index) => (
        <li key={`${index}-${role}`} className="message-view" data-role={role}>
          <span className="message-role">{ROLES[role]}</span>
          <div>
            {parts.map((part, at) => (
              <div key={`${at}-${part.type}`} className="message-part">
                <Part part={part} />
              </div>
            ))}
          </div>
        </li>
      ))}
    </ol>
  )
}

function Part({ part }: { part: PartView }) {
  switch (part.type) {
    case 'text':
      return <TextView text={part.text} />
    case 'reasoning':
      return (
        <>
          <span className="part-label">reasoning</span>
          <TextView text={part.text} />
        </>
      )
    case 'tool':
      return (
        <>
          <span className="part-label">{part.toolName}</span>
          {part.input && <JsonView text={part.input} />}
          {part.output && (
            <>
              <span className="part-label">output</span>
              <JsonView text={part.output} />
            </>
          )}
          {part.error && <TextView text={part.error} isCode />}
        </>
      )
    case 'file':
      return (
        <span className="part-label">
          {part.filename ?? 'file'} ({part.mediaType}), not kept
        </span>
      )
    default:
      return (
        <>
          <span className="part-label">{part.name}</span>
          <JsonView text={part.value} />
        </>
      )
  }
}
