import { useVirtualizer } from '@tanstack/react-virtual'
import { Download } from 'lucide-react'
import { useRef, useState } from 'react'
import type { TableRow } from '../../src/wire.ts'
import { plural } from '../format/numbers.ts'
import { FindingTable } from './finding-table.tsx'
import { Highlighted } from './highlighted.tsx'
import { markKey, type RowFilter } from './tally.ts'

interface RowTableProps {
  rows: readonly TableRow[]
  /** The names of the guards, in the order of their verdicts. */
  names: readonly string[]
  marks: ReadonlySet<string>
  filter: RowFilter
  onFilter: (filter: RowFilter) => void
  onMark: (line: number, guardIndex: number) => void
  onSave: () => void
}

const FILTERS: Readonly<Record<RowFilter, string>> = {
  all: 'All texts',
  found: 'Something found',
  nothing: 'Nothing found',
  wrong: 'Wrong by label or mark',
}

const ROW = 38

/** The texts of a file. The selected one is shown with its findings, and can be marked as a false alarm. */
export function RowTable({ rows, names, marks, filter, onFilter, onMark, onSave }: RowTableProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [selected, setSelected] = useState<number>()
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => frame.current,
    estimateSize: () => ROW,
    overscan: 15,
  })
  const row = rows.find(({ line }) => line === selected)
  return (
    <section className="card" aria-label="Texts">
      <header className="card-head">
        <select
          className="select row-filter"
          aria-label="Which texts"
          value={filter}
          onChange={({ target }) => onFilter(target.value as RowFilter)}
        >
          {Object.entries(FILTERS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
        <span className="soft small number">{plural(rows.length, 'text')}</span>
        <span className="card-action">
          <button type="button" className="button quiet" onClick={onSave}>
            <Download aria-hidden size={14} /> Save as CSV
          </button>
        </span>
      </header>
      {rows.length === 0 && <p className="card-body soft small">No matching texts.</p>}
      <div ref={frame} className="row-frame" hidden={rows.length === 0}>
        <ol className="chunk-space" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ key, index, start }) => {
            const each = rows[index]
            return (
              each && (
                <li key={key} className="row-place" style={{ transform: `translateY(${start}px)` }}>
                  <button
                    type="button"
                    className="text-row"
                    aria-pressed={each.line === selected}
                    onClick={() => setSelected(each.line === selected ? undefined : each.line)}
                  >
                    <span className="soft number">{each.line}</span>
                    <span className="cut">{each.text.text.slice(0, 300)}</span>
                    <RowMarks row={each} names={names} marks={marks} />
                  </button>
                </li>
              )
            )
          })}
        </ol>
      </div>
      {row && <RowDetail row={row} names={names} marks={marks} onMark={onMark} />}
    </section>
  )
}

type RowProps = Pick<RowTableProps, 'names' | 'marks'> & { row: TableRow }

function RowMarks({ row: { line, label, guards }, names, marks }: RowProps) {
  return (
    <span className="row row-marks">
      {label !== undefined && (
        <span className="badge">{label ? 'finding expected' : 'no finding expected'}</span>
      )}
      {guards.map(({ findings, error }, index) => {
        const isMarked = marks.has(markKey(line, index))
        if (error === undefined && findings.length === 0) return null
        return (
          <span
            key={names[index]}
            className="badge"
            data-tone={error !== undefined ? 'blocked' : isMarked ? 'quiet' : 'changed'}
            data-marked={isMarked || undefined}
          >
            {names[index]} {error !== undefined ? 'failed' : findings.length}
            {isMarked && ', false alarm'}
          </span>
        )
      })}
    </span>
  )
}

function RowDetail({ row, names, marks, onMark }: RowProps & Pick<RowTableProps, 'onMark'>) {
  const { line, text, guards } = row
  const findings = guards.flatMap(({ findings: found }, index) =>
    found.map((finding) => ({ ...finding, guard: names[index] ?? '' })),
  )
  return (
    <section className="row-detail stack" aria-label={`Text ${line}`}>
      <Highlighted text={text.text} findings={findings} />
      {findings.length > 0 && <FindingTable text={text.text} findings={findings} />}
      {guards.map(({ error }, index) =>
        error === undefined ? null : (
          <p key={names[index]} className="notice" data-tone="blocked">
            {names[index]}: {error}
          </p>
        ),
      )}
      <div className="row">
        {guards.map(({ findings: found }, index) => {
          const isMarked = marks.has(markKey(line, index))
          return (
            found.length > 0 && (
              <button
                key={names[index]}
                type="button"
                className="button"
                aria-pressed={isMarked}
                onClick={() => onMark(line, index)}
              >
                False alarm of {names[index]}
              </button>
            )
          )
        })}
      </div>
    </section>
  )
}
