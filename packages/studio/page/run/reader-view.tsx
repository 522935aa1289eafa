import { useVirtualizer } from '@tanstack/react-virtual'
import { EyeOff } from 'lucide-react'
import { useRef } from 'react'
import type { RunDetail } from '../../src/wire.ts'
import { Empty } from '../parts/empty.tsx'
import { ReaderEntryView } from './reader-entry.tsx'

/** The number of entries that are rendered without virtualization. */
const MAX_UNVIRTUALIZED = 200

/** The events on the reader's screen, including retracted text. */
export function ReaderView({ run: { reader, state } }: { run: RunDetail }) {
  if (reader.length === 0) {
    return (
      <Empty Icon={EyeOff} title="Nothing shown">
        <p>
          {state === 'running' ? 'The answer has not started.' : 'The run ended before anything was shown.'}
        </p>
      </Empty>
    )
  }
  if (reader.length > MAX_UNVIRTUALIZED) return <LongReader reader={reader} />
  return (
    <ol className="reader">
      {reader.map((entry) => (
        <li key={entry.seq}>
          <ReaderEntryView entry={entry} />
        </li>
      ))}
    </ol>
  )
}

function LongReader({ reader }: Pick<RunDetail, 'reader'>) {
  const frame = useRef<HTMLDivElement>(null)
  const rows = useVirtualizer({
    count: reader.length,
    getScrollElement: () => frame.current,
    estimateSize: () => 60,
    overscan: 10,
  })
  return (
    <div ref={frame} className="long-frame">
      <ol className="reader long-space" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const entry = reader[index]
          return (
            entry && (
              <li
                key={key}
                ref={rows.measureElement}
                data-index={index}
                className="long-row"
                style={{ transform: `translateY(${start}px)` }}
              >
                <ReaderEntryView entry={entry} />
              </li>
            )
          )
        })}
      </ol>
    </div>
  )
}
