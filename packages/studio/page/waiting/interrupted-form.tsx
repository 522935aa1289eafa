import { useState } from 'react'
import type { AnswerRequest, WaitingCall } from '../../src/wire.ts'
import { CallInput } from './call-input.tsx'
import type { FormProps } from './form-props.ts'
import { JsonField } from './json-field.tsx'
import { parseAnswer } from './parse-answer.ts'

type Choice = 'retry' | 'output' | 'error'

const CHOICES: Readonly<Record<Choice, string>> = {
  retry: 'Execute it again',
  output: 'It was executed: enter its output',
  error: 'It failed: enter the error',
}

/** A form for calls that may or may not have been executed. */
export function InterruptedForm({ calls, isBusy, onAnswer }: FormProps & { calls: readonly WaitingCall[] }) {
  const [answers, setAnswers] = useState<Readonly<Record<string, { choice?: Choice; text: string }>>>({})
  const isComplete = calls.every(({ toolCallId }) => {
    const { choice, text } = answers[toolCallId] ?? { text: '' }
    return choice === 'retry' || (choice !== undefined && text.trim() !== '')
  })
  return (
    <>
      <p className="small">
        The process ended while these calls were executed. It is not known whether they completed.
      </p>
      {calls.map((call) => {
        const { choice, text } = answers[call.toolCallId] ?? { choice: undefined, text: '' }
        const set = (change: { choice?: Choice; text?: string }): void =>
          setAnswers({ ...answers, [call.toolCallId]: { ...(choice && { choice }), text, ...change } })
        return (
          <div key={call.toolCallId} className="stack">
            <CallInput call={call} />
            <label className="field">
              Outcome of {call.toolName}
              <select
                className="select"
                value={choice ?? ''}
                onChange={({ target }) => set({ choice: target.value as Choice })}
              >
                <option value="" disabled>
                  Choose
                </option>
                {Object.entries(CHOICES).map(([value, label]) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </select>
            </label>
            {choice === 'output' && (
              <JsonField label="Output" value={text} onChange={(next) => set({ text: next })} />
            )}
            {choice === 'error' && (
              <label className="field">
                Error
                <input
                  className="input"
                  value={text}
                  onChange={({ target }) => set({ text: target.value })}
                />
              </label>
            )}
          </div>
        )
      })}
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={isBusy || !isComplete}
          onClick={() => onAnswer(answerCalls(answers))}
        >
          Resume
        </button>
      </div>
    </>
  )
}

function answerCalls(answers: Readonly<Record<string, { choice?: Choice; text: string }>>): AnswerRequest {
  return {
    type: 'calls',
    answers: Object.fromEntries(
      Object.entries(answers).map(([id, { choice, text }]) => {
        if (choice === 'output') return [id, { output: parseAnswer(text).value }]
        if (choice === 'error') return [id, { error: text.trim() }]
        return [id, { retry: true as const }]
      }),
    ),
  }
}
