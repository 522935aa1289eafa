import { useState } from 'react'
import type { WaitingCall } from '../../src/wire.ts'
import { JsonField } from './json-field.tsx'
import { parseAnswer } from './parse-answer.ts'

interface ApprovalFieldProps {
  call: WaitingCall
  isBusy: boolean
  /** Whether a decision is sent at once. */
  isSingle: boolean
  onChange: (answer: { answer: { approved: boolean; input?: unknown } }) => void
}

/** Approves or denies one call. The approver may change its input. */
export function ApprovalField({ call, isBusy, isSingle, onChange }: ApprovalFieldProps) {
  const [approved, setApproved] = useState<boolean>()
  const [input, setInput] = useState('')
  const change = (decision: boolean, text: string): void => {
    setApproved(decision)
    const edit = decision && text.trim() !== '' ? { input: parseAnswer(text).value } : {}
    onChange({ answer: { approved: decision, ...edit } })
  }
  return (
    <>
      <details>
        <summary className="small">Change the input</summary>
        <JsonField
          label={`Input of ${call.toolName}`}
          value={input}
          onChange={(text) => {
            setInput(text)
            if (!isSingle && approved) change(true, text)
          }}
        />
      </details>
      <fieldset className="row plain">
        <legend className="visually-hidden">Decision on {call.toolName}</legend>
        {[true, false].map((decision) => (
          <button
            key={String(decision)}
            type="button"
            className={isSingle ? `button ${decision ? 'primary' : 'danger'}` : 'button'}
            disabled={isBusy}
            aria-pressed={isSingle ? undefined : approved === decision}
            onClick={() => change(decision, input)}
          >
            {decision ? 'Approve' : 'Deny'}
            {!isSingle && ' this'}
          </button>
        ))}
      </fieldset>
    </>
  )
}
