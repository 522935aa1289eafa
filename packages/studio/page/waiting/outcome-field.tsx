import { useState } from 'react'
import type { WaitingCall } from '../../src/wire.ts'
import { JsonField } from './json-field.tsx'
import { parseAnswer } from './parse-answer.ts'

type Choice = 'retry' | 'output' | 'error'

const CHOICES: Readonly<Record<Choice, string>> = {
  retry: 'Execute it again',
  output: 'It was executed: enter its output',
  error: 'It failed: enter the error',
}

interface OutcomeFieldProps {
  call: WaitingCall
  onChange: (answer: { answer: unknown } | undefined) => void
}

/** The outcome of a call that may or may not have been executed. */
export function OutcomeField({ call, onChange }: OutcomeFieldProps) {
  const [choice, setChoice] = useState<Choice>()
  const [text, setText] = useState('')
  const change = (next: Choice, entered: string): void => {
    setChoice(next)
    setText(entered)
    onChange(answerOf(next, entered))
  }
  return (
    <>
      <p className="small">
        The process ended while this call was executed. It is not known whether it completed.
      </p>
      <label className="field">
        Outcome of {call.toolName}
        <select
          className="select"
          value={choice ?? ''}
          onChange={({ target }) => change(target.value as Choice, text)}
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
        <JsonField label="Output" value={text} onChange={(next) => change('output', next)} />
      )}
      {choice === 'error' && (
        <label className="field">
          Error
          <input className="input" value={text} onChange={({ target }) => change('error', target.value)} />
        </label>
      )}
    </>
  )
}

function answerOf(choice: Choice, text: string): { answer: unknown } | undefined {
  if (choice === 'retry') return { answer: { retry: true } }
  if (text.trim() === '') return undefined
  return { answer: choice === 'output' ? { output: parseAnswer(text).value } : { error: text.trim() } }
}
