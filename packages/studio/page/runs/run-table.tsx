import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { RunSummary } from '../../src/wire.ts'
import { NARROW, useMedia } from '../use-media.ts'
import { useNow } from '../use-now.ts'
import { RunRow } from './run-row.tsx'

interface RunTableProps {
  runs: readonly RunSummary[]
  hasMore: boolean
  isLoadingMore: boolean
  onMore: () => void
}

/** Row heights in pixels, as in `runs.css`. */
const WIDE_ROW = 44
const WIDE_HEAD = 32
const NARROW_ROW = 84
const COLUMNS = ['Outcome', 'Question', 'Agent', 'What processors did', 'Tokens', 'Cost', 'Time', 'Began']
/** The next page is fetched when fewer rows are left below. */
const PREFETCH_ROWS = 60

/** A virtualized table whose rows are links. */
export function RunTable({ runs, hasMore, isLoadingMore, onMore }: RunTableProps) {
  const frame = useRef<HTMLDivElement>(null)
  const isNarrow = useMedia(NARROW)
  const head = isNarrow ? 0 : WIDE_HEAD
  const now = useNow(10_000)
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: () => frame.current,
    estimateSize: () => (isNarrow ? NARROW_ROW : WIDE_ROW),
    getItemKey: (index) => runs[index]?.id ?? index,
    overscan: 6,
    scrollMargin: head,
    scrollPaddingStart: head,
  })
  useEffect(() => rows.measure(), [rows, isNarrow])

  const items = rows.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !isLoadingMore && lastShown >= runs.length - PREFETCH_ROWS) onMore()
  }, [hasMore, isLoadingMore, lastShown, runs.length, onMore])

  return (
    <div className="run-area">
      <div ref={frame} className="run-frame">
        <table className="run-table" aria-label="Runs" aria-rowcount={hasMore ? -1 : runs.length + 1}>
          <thead>
            <tr className="run-row" aria-rowindex={1}>
              {COLUMNS.map((label) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody style={{ height: rows.getTotalSize() }} onKeyDown={moveFocus}>
            {items.map(({ key, index, start, size }) => {
              const run = runs[index]
              return (
                run && (
                  <RunRow
                    key={key}
                    run={run}
                    index={index}
                    now={now}
                    style={{ height: size, transform: `translateY(${start - head}px)` }}
                  />
                )
              )
            })}
          </tbody>
        </table>
      </div>
      <p className="run-count" role="status">
        {hasMore ? `The newest ${runs.length.toLocaleString('en')} runs; scroll for more` : null}
      </p>
    </div>
  )
}

/** The arrow keys move between rows. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const row = document.activeElement?.closest('[aria-rowindex]')
  if (step === undefined || !row) return
  event.preventDefault()
  const next = Number(row.getAttribute('aria-rowindex')) + step
  event.currentTarget.querySelector<HTMLElement>(`[aria-rowindex="${next}"] a`)?.focus()
}
