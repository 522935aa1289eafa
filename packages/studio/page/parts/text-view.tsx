import { useState } from 'react'
import type { Text } from '../../src/wire.ts'
import { formatCount } from '../format/numbers.ts'

/** Maximum length of JSON on one line. */
const MAX_LINE_LENGTH = 60
const MAX_LENGTH = 200_000
/** Length of a text that is shown before "Show all". */
const FIRST = 2_000

interface TextViewProps {
  text: Text
  /** Monospaced: JSON and other code. */
  isCode?: boolean
}

/** A plain text: the beginning first, and a note if it was truncated. */
export function TextView({ text: { text, cut }, isCode = false }: TextViewProps) {
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > FIRST * 1.2
  const shown = isLong && !isWhole ? text.slice(0, FIRST) : text
  return (
    <div className={isCode ? 'text-view as-code' : 'text-view'}>
      {shown === '' ? <span className="soft">Empty</span> : shown}
      {isLong && (
        <button type="button" className="button quiet more" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${formatCount(text.length)} characters`}
        </button>
      )}
      {cut && <p className="text-cut">Truncated: only the beginning was recorded.</p>}
    </div>
  )
}

/** JSON on one line if it is short, else indented. Invalid or truncated JSON is shown unchanged. */
export function JsonView({ text }: { text: Text }) {
  return <TextView text={{ ...text, text: indented(text) }} isCode />
}

function indented({ text, cut }: Text): string {
  if (cut || text.length > MAX_LENGTH) return text
  try {
    const value: unknown = JSON.parse(text)
    const line = JSON.stringify(value)
    return line.length <= MAX_LINE_LENGTH ? line : JSON.stringify(value, null, 2)
  } catch {
    return text
  }
}
