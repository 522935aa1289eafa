import { MessagesSquare } from 'lucide-react'
import type { RunDetail } from '../../src/wire.ts'
import { Empty } from '../parts/empty.tsx'
import { JsonView, TextView } from '../parts/text-view.tsx'
import { MessageList } from './message-list.tsx'

/** The input of a run, before any processor, and its final answer. */
export function RunContent({ run: { messages, text, object } }: { run: RunDetail }) {
  if (messages.length === 0 && !text && !object) {
    return (
      <Empty Icon={MessagesSquare} title="No recorded messages">
        <p>The run had no input, or its content was not recorded.</p>
      </Empty>
    )
  }
  return (
    <div className="given stack">
      {messages.length > 0 && (
        <section className="stack" aria-label="Messages">
          <h2>Input, before any processor</h2>
          <MessageList messages={messages} />
        </section>
      )}
      {text && (
        <section className="stack" aria-label="Answer">
          <h2>Answer</h2>
          <div className="message-view" data-role="assistant">
            <TextView text={text} />
          </div>
        </section>
      )}
      {object && (
        <section className="stack" aria-label="Structured answer">
          <h2>Structured answer</h2>
          <div className="well">
            <JsonView text={object} />
          </div>
        </section>
      )}
    </div>
  )
}
