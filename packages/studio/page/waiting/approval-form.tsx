import { useState } from 'react'
import type { AnswerRequest, WaitingCall } from '../../src/wire.ts'
import { CallInput } from './call-input.tsx'
import type { FormProps } from './form-props.ts'

/** Approves or denies tool calls, all together or one by one. */
export function ApprovalForm({ calls, isBusy, onAnswer }: FormProps & { calls: readonly WaitingCall[] }) {
  const [reason, setReason] = useState('')
  const [decisions, setDecisions] = useState<Readonly<Record<string, boolean>>>({})
  const isSingle = calls.length === 1
  const withReason = reason.trim() === '' ? {} : { reason: reason.trim() }
  const isDecided = calls.every(({ toolCallId }) => toolCallId in decisions)
  return (
    <>
      {calls.map((call) => (
        <div key={call.toolCallId} className="stack">
          <CallInput call={call} />
          {!isSingle && (
            <fieldset className="row plain">
              <legend className="visually-hidden">Decision on {call.toolName}</legend>
              {[true, false].map((approved) => (
                <button
                  key={String(approved)}
                  type="button"
                  className="button"
                  aria-pressed={decisions[call.toolCallId] === approved}
                  onClick={() => setDecisions({ ...decisions, [call.toolCallId]: approved })}
                >
                  {approved ? 'Approve this' : 'Deny this'}
                </button>
              ))}
            </fieldset>
          )}
        </div>
      ))}
      <label className="field">
        Reason
        <input
          className="input"
          value={reason}
          placeholder="Optional. The model gets the reason if you deny the call."
          onChange={({ target }) => setReason(target.value)}
        />
      </label>
      <div className="row">
        {isSingle ? (
          <>
            <button
              type="button"
              className="button primary"
              disabled={isBusy}
              onClick={() => onAnswer({ type: 'approve', ...withReason })}
            >
              Approve
            </button>
            <button
              type="button"
              className="button danger"
              disabled={isBusy}
              onClick={() => onAnswer({ type: 'deny', ...withReason })}
            >
              Deny
            </button>
          </>
        ) : (
          <button
            type="button"
            className="button primary"
            disabled={isBusy || !isDecided}
            onClick={() => onAnswer(decideAll(decisions, withReason))}
          >
            Send decisions
          </button>
        )}
      </div>
    </>
  )
}

function decideAll(
  decisions: Readonly<Record<string, boolean>>,
  withReason: { reason?: string },
): AnswerRequest {
  return {
    type: 'decide',
    decisions: Object.fromEntries(
      Object.entries(decisions).map(([id, approved]) => [id, { approved, ...withReason }]),
    ),
  }
}
