import { useMemo } from 'react'
import type { BenchFinding } from '../../src/wire.ts'
import { segmentsOf } from './segments.ts'

interface HighlightedProps {
  text: string
  findings: readonly BenchFinding[]
}

/** A text with its findings highlighted. */
export function Highlighted({ text, findings }: HighlightedProps) {
  const segments = useMemo(() => segmentsOf(text, findings), [text, findings])
  return (
    <div className="highlighted">
      {segments.map(({ start, text: part, findings: found }) =>
        found.length === 0 ? (
          part
        ) : (
          <mark key={start} data-overlap={found.length > 1 || undefined}>
            {part}
            {found
              .filter((finding) => finding.start === start)
              .map(({ type }, index) => (
                <sup key={`${index}-${type}`}>{type}</sup>
              ))}
          </mark>
        ),
      )}
    </div>
  )
}
