import { useState } from 'react'
import type { WaitingCall } from '../../src/wire.ts'
import { CallInput } from './call-input.tsx'
import type { FormProps } from './form-props.ts'
import { JsonField } from './json-field.tsx'
import { parseAnswer } from './parse-answer.ts'

/** A form for the output of client tools. */
export function OutputForm({ calls, isBusy, onAnswer }: FormProps & { calls: readonly WaitingCall[] }) {
  const [texts, setTexts] = useState<Readonly<Record<string, string>>>({})
  const isComplete = calls.every(({ toolCallId }) => texts[toolCallId]?.trim())
  return (
    <>
      {calls.map((call) => (
        <div key={call.toolCallId} className="stack">
          <CallInput call={call} />
          <JsonField
            label={`Output of ${call.toolName}`}
            value={texts[call.toolCallId] ?? ''}
            onChange={(text) => setTexts({ ...texts, [call.toolCallId]: text })}
          />
        </div>
      ))}
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={isBusy || !isComplete}
          onClick={() =>
            onAnswer({
              type: 'output',
              outputs: Object.fromEntries(
                calls.map(({ toolCallId }) => [toolCallId, parseAnswer(texts[toolCallId] ?? '').value]),
              ),
            })
          }
        >
          Send
        </button>
      </div>
    </>
  )
}
