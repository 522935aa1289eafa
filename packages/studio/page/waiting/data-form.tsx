import { useState } from 'react'
import type { Text } from '../../src/wire.ts'
import { JsonView } from '../parts/text-view.tsx'
import type { FormProps } from './form-props.ts'
import { JsonField } from './json-field.tsx'
import { parseAnswer } from './parse-answer.ts'

/** A form for the data that a processor or tool asks for. */
export function DataForm({ payload, isBusy, onAnswer }: FormProps & { payload: Text }) {
  const [text, setText] = useState('')
  return (
    <>
      <div className="well">
        <JsonView text={payload} />
      </div>
      <JsonField label="Your answer" value={text} onChange={setText} />
      <div className="row">
        <button
          type="button"
          className="button primary"
          disabled={isBusy || text.trim() === ''}
          onClick={() => onAnswer({ type: 'data', data: parseAnswer(text).value })}
        >
          Send
        </button>
      </div>
    </>
  )
}
