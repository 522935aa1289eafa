import { useId } from 'react'
import { parseAnswer } from './parse-answer.ts'

interface JsonFieldProps {
  label: string
  value: string
  onChange: (value: string) => void
}

/** A field for JSON or text. Text that is not JSON is sent as a string; the field shows which. */
export function JsonField({ label, value, onChange }: JsonFieldProps) {
  const id = useId()
  const parsed = parseAnswer(value)
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        className="input code"
        rows={3}
        value={value}
        placeholder='A text, or JSON such as {"answer": 42}'
        aria-describedby={`${id}-hint`}
        onChange={({ target }) => onChange(target.value)}
      />
      <span id={`${id}-hint`} className="field-hint">
        {value.trim() === '' ? 'Nothing yet' : parsed.isJson ? 'Sent as JSON' : 'Sent as a text'}
      </span>
    </div>
  )
}
