import { useState } from 'react'
import type { Text } from '../../src/wire.ts'
import { formatCount } from '../format/numbers.ts'

/** Characters of a line, and of JSON that is parsed to be indented. */
const LINE = 60
const MOST = 200_000
/** Characters of a text that are shown until more is asked for. */
const FIRST = 2_000

interface TextViewProps {
  text: Text
  /** Set as code: JSON, and what a machine reads. */
  isCode?: boolean
}

/** A text as text, whatever it holds: its beginning first, and how much was not kept. */
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
      {cut && <p className="text-cut">Only the beginning was kept.</p>}
    </div>
  )
}

/** JSON: on one line where it is short, else indented. What is no JSON, or was cut, is shown as it is. */
export function JsonView({ text }: { text: Text }) {
  return <TextView text={{ ...text, text: indented(text) }} isCode />
}

function indented({ text, cut }: Text): string {
  if (cut || text.length > MOST) return text
  try {
    const value: unknown = JSON.parse(text)
    const line = JSON.stringify(value)
    return line.length <= LINE ? line : JSON.stringify(value, null, 2)
  } catch {
    return text
  }
}
