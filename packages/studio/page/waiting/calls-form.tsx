import { useState } from 'react'
import type { WaitingCall } from '../../src/wire.ts'
import { JsonView } from '../parts/text-view.tsx'
import { ApprovalField } from './approval-field.tsx'
import { CallInput } from './call-input.tsx'
import type { FormProps } from './form-props.ts'
import { JsonField } from './json-field.tsx'
import { OutcomeField } from './outcome-field.tsx'
import { parseAnswer } from './parse-answer.ts'

/** A form for the answers to all calls that a run waits for. */
export function CallsForm({ calls, isBusy, onAnswer }: FormProps & { calls: readonly WaitingCall[] }) {
  const [answers, setAnswers] = useState<Readonly<Record<string, { answer: unknown } | undefined>>>({})
  const [reason, setReason] = useState('')
  const isComplete = calls.every(({ toolCallId }) => answers[toolCallId] !== undefined)
  const asksApproval = calls.some(({ waitsFor }) => waitsFor === 'approval')
  const send = (given: typeof answers): void => {
    const withReason = reason.trim() === '' ? {} : { reason: reason.trim() }
    onAnswer({
      type: 'calls',
      answers: Object.fromEntries(
        calls.map(({ toolCallId, waitsFor }) => {
          const { answer } = given[toolCallId] ?? {}
          return [toolCallId, waitsFor === 'approval' ? { ...(answer as object), ...withReason } : answer]
        }),
      ),
    })
  }
  const isSingleApproval = asksApproval && calls.length === 1
  return (
    <>
      {calls.map((call) => (
        <div key={call.toolCallId} className="stack">
          <CallInput call={call} />
          <AnswerField
            call={call}
            isBusy={isBusy}
            isSingle={isSingleApproval}
            onChange={(answer) => {
              const given = { ...answers, [call.toolCallId]: answer }
              if (isSingleApproval) send(given)
              else setAnswers(given)
            }}
          />
        </div>
      ))}
      {asksApproval && (
        <label className="field">
          Reason
          <input
            className="input"
            value={reason}
            placeholder="Optional. The model gets the reason if you deny the call."
            onChange={({ target }) => setReason(target.value)}
          />
        </label>
      )}
      {!isSingleApproval && (
        <div className="row">
          <button
            type="button"
            className="button primary"
            disabled={isBusy || !isComplete}
            onClick={() => send(answers)}
          >
            {sendLabel(calls)}
          </button>
        </div>
      )}
    </>
  )
}

interface AnswerFieldProps {
  call: WaitingCall
  isBusy: boolean
  /** Whether a decision is sent at once. */
  isSingle: boolean
  onChange: (answer: { answer: unknown } | undefined) => void
}

/** The field for the answer to one call, by what the call waits for. */
function AnswerField({ call, onChange, ...props }: AnswerFieldProps) {
  const { toolName, waitsFor, payload } = call
  if (waitsFor === 'approval') return <ApprovalField call={call} onChange={onChange} {...props} />
  if (waitsFor === 'outcome') return <OutcomeField call={call} onChange={onChange} />
  return (
    <>
      {payload && (
        <div className="well">
          <JsonView text={payload} />
        </div>
      )}
      <AnswerText
        label={waitsFor === 'output' ? `Output of ${toolName}` : `Answer to ${toolName}`}
        onChange={onChange}
      />
    </>
  )
}

function AnswerText({ label, onChange }: Pick<AnswerFieldProps, 'onChange'> & { label: string }) {
  const [text, setText] = useState('')
  return (
    <JsonField
      label={label}
      value={text}
      onChange={(next) => {
        setText(next)
        onChange(next.trim() === '' ? undefined : { answer: parseAnswer(next).value })
      }}
    />
  )
}

function sendLabel(calls: readonly WaitingCall[]): string {
  const [first, ...others] = calls
  if (others.some(({ waitsFor }) => waitsFor !== first?.waitsFor)) return 'Send answers'
  if (first?.waitsFor === 'approval') return 'Send decisions'
  return first?.waitsFor === 'outcome' ? 'Resume' : 'Send'
}
