import { MessagesSquare } from 'lucide-react'
import type { RunDetail } from '../../src/wire.ts'
import { Empty } from '../parts/empty.tsx'
import { JsonView, TextView } from '../parts/text-view.tsx'
import { MessageList } from './message-list.tsx'

/** What a run was given, before any processor, and what it answered in the end. */
export function Given({ run: { messages, text, object } }: { run: RunDetail }) {
  if (messages.length === 0 && !text && !object) {
    return (
      <Empty Icon={MessagesSquare} title="No messages are recorded">
        <p>The run was given none, or it was recorded without content.</p>
      </Empty>
    )
  }
  return (
    <div className="given stack">
      {messages.length > 0 && (
        <section className="stack" aria-label="Messages">
          <h2>Before any processor</h2>
          <MessageList messages={messages} />
        </section>
      )}
      {text && (
        <section className="stack" aria-label="Answer">
          <h2>The answer in the result</h2>
          <div className="message-view" data-role="assistant">
            <TextView text={text} />
          </div>
        </section>
      )}
      {object && (
        <section className="stack" aria-label="Structured answer">
          <h2>The structured answer</h2>
          <div className="well">
            <JsonView text={object} />
          </div>
        </section>
      )}
    </div>
  )
}
