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

/** Heights of a row, in pixels: as in `runs.css`. */
const WIDE_ROW = 44
const NARROW_ROW = 84
/** More is read where this many rows are left below. */
const AHEAD = 60

/** Rows are links. Only those in view, and some around them, are in the document. */
export function RunTable({ runs, hasMore, isLoadingMore, onMore }: RunTableProps) {
  const frame = useRef<HTMLDivElement>(null)
  const isNarrow = useMedia(NARROW)
  const now = useNow(10_000)
  const rows = useVirtualizer({
    count: runs.length,
    getScrollElement: () => frame.current,
    estimateSize: () => (isNarrow ? NARROW_ROW : WIDE_ROW),
    getItemKey: (index) => runs[index]?.id ?? index,
    overscan: 12,
  })
  useEffect(() => rows.measure(), [rows, isNarrow])

  const items = rows.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !isLoadingMore && lastShown >= runs.length - AHEAD) onMore()
  }, [hasMore, isLoadingMore, lastShown, runs.length, onMore])

  return (
    <div className="run-table" role="table" aria-label="Runs" aria-rowcount={hasMore ? -1 : runs.length + 1}>
      <div className="run-row run-head" role="row" aria-rowindex={1}>
        {['Outcome', 'Question', 'Agent', 'What processors did', 'Tokens', 'Cost', 'Time', 'Began'].map(
          (label) => (
            <span key={label} role="columnheader">
              {label}
            </span>
          ),
        )}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: rows out of view are not in the document, which a table element needs. */}
      <div ref={frame} className="run-frame" role="rowgroup" onKeyDown={moveFocus}>
        <div className="run-space" role="presentation" style={{ height: rows.getTotalSize() }}>
          {items.map(({ key, index, start, size }) => {
            const run = runs[index]
            return (
              run && (
                <RunRow
                  key={key}
                  run={run}
                  index={index}
                  now={now}
                  style={{ height: size, transform: `translateY(${start}px)` }}
                />
              )
            )
          })}
        </div>
      </div>
      <p className="run-count" role="status">
        {hasMore ? `The newest ${runs.length.toLocaleString('en')} runs; scroll for more` : null}
      </p>
    </div>
  )
}

/** Arrows move from row to row. */
function moveFocus(event: KeyboardEvent<HTMLDivElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  const row = document.activeElement?.closest('[aria-rowindex]')
  if (step === undefined || !row) return
  event.preventDefault()
  const next = Number(row.getAttribute('aria-rowindex')) + step
  event.currentTarget.querySelector<HTMLElement>(`[aria-rowindex="${next}"] a`)?.focus()
}
