import { FileUp, Play, Square } from 'lucide-react'
import { unparse } from 'papaparse'
import { type DragEvent, type SubmitEvent, useMemo, useRef, useState } from 'react'
import type { BenchSurface, GuardChoice, GuardInfo, TableRequest } from '../../src/wire.ts'
import { formatCount, formatDuration, plural } from '../format/numbers.ts'
import { ErrorNotice, messageOf } from '../parts/empty.tsx'
import { saveFile } from '../parts/save-file.ts'
import { RowTable } from './row-table.tsx'
import { filterRows, formatOf, markKey, type RowFilter, tallyOf } from './tally.ts'
import { TallyTable } from './tally-table.tsx'
import { CodeCard } from './text-bench.tsx'
import { type TableState, useTable } from './use-table.ts'

interface TableBenchProps {
  guards: readonly GuardInfo[]
  chosen: GuardChoice[]
  surface: BenchSurface
}

interface OpenFile {
  name: string
  content: string
  format: TableRequest['format']
}

/** Runs the guards on a file with texts. */
export function TableBench({ guards, chosen, surface }: TableBenchProps) {
  const [file, setFile] = useState<OpenFile>()
  const [problem, setProblem] = useState<string>()
  const [isOver, setOver] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const { state, run, stop } = useTable()
  // The guards of the displayed rows: the selection may have changed since.
  const [judging, setJudging] = useState<GuardChoice[]>([])
  const names = judging.map(({ guard }) => guards.find(({ name }) => name === guard)?.title ?? guard)

  const open = async (chosenFile: File | undefined) => {
    if (!chosenFile) return
    try {
      const { name } = chosenFile
      setFile({ name, content: await chosenFile.text(), format: formatOf(name) })
      setProblem(undefined)
    } catch (error) {
      setProblem(messageOf(error))
    }
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (!file) return
    const form = new FormData(event.currentTarget)
    const textField = String(form.get('textField') ?? '').trim()
    const labelField = String(form.get('labelField') ?? '').trim()
    setJudging(chosen)
    run({
      content: file.content,
      format: file.format,
      guards: chosen,
      surface,
      ...(textField !== '' && { textField }),
      ...(labelField !== '' && { labelField }),
    })
  }
  const isRunning = state !== undefined && !state.end && state.error === undefined
  return (
    <div className="stack bench-stack">
      <form className="stack" onSubmit={submit}>
        <input
          ref={field}
          type="file"
          className="visually-hidden"
          aria-label="File with texts"
          tabIndex={-1}
          accept=".jsonl,.ndjson,.csv,.txt"
          onChange={({ target }) => void open(target.files?.[0])}
        />
        <button
          type="button"
          className="drop"
          data-over={isOver || undefined}
          onClick={() => field.current?.click()}
          onDragOver={(event: DragEvent) => {
            event.preventDefault()
            setOver(true)
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event: DragEvent) => {
            event.preventDefault()
            setOver(false)
            void open(event.dataTransfer.files[0])
          }}
        >
          <FileUp aria-hidden size={22} strokeWidth={1.5} />
          <strong>{file ? file.name : 'Choose a file, or drop it here'}</strong>
          <span className="soft small">
            {file
              ? `${formatCount(file.content.length)} characters, read as ${{ jsonl: 'JSON lines', csv: 'CSV', text: 'one text per line' }[file.format]}`
              : 'JSON lines, CSV, or one text per line'}
          </span>
        </button>
        {file && (
          <div className="table-options">
            {file.format !== 'text' && (
              <>
                <label className="field">
                  Text field
                  <input name="textField" className="input" placeholder="text, else the first" />
                </label>
                <label className="field">
                  Label field
                  <input name="labelField" className="input" placeholder="None" />
                </label>
              </>
            )}
            {isRunning ? (
              <button type="button" className="button" onClick={stop}>
                <Square aria-hidden size={13} /> Stop
              </button>
            ) : (
              <button type="submit" className="button primary" disabled={chosen.length === 0}>
                <Play aria-hidden size={14} /> Check all
              </button>
            )}
          </div>
        )}
      </form>
      {problem !== undefined && <ErrorNotice error={new Error(problem)} />}
      {state?.error !== undefined && <ErrorNotice error={new Error(state.error)} />}
      {state?.start && <Results key={file?.name} names={names} state={state} />}
    </div>
  )
}

function Results({ names, state }: { names: readonly string[]; state: TableState }) {
  const { start, rows, end } = state
  const [marks, setMarks] = useState<ReadonlySet<string>>(new Set())
  const [filter, setFilter] = useState<RowFilter>('all')
  const tallies = useMemo(() => tallyOf(rows, names.length, marks), [rows, names.length, marks])
  const shown = useMemo(() => filterRows(rows, filter, marks), [rows, filter, marks])
  const toggle = (line: number, guardIndex: number): void => {
    const next = new Set(marks)
    const key = markKey(line, guardIndex)
    if (!next.delete(key)) next.add(key)
    setMarks(next)
  }
  const save = () => {
    const table = rows.map((row) => ({
      line: row.line,
      text: row.text.text,
      label: row.label === undefined ? '' : String(row.label),
      ...Object.fromEntries(
        names.flatMap((name, index) => [
          [name, row.guards[index]?.findings.map(({ type }) => type).join(' ') ?? ''],
          [`${name} false alarm`, marks.has(markKey(row.line, index)) ? 'yes' : ''],
        ]),
      ),
    }))
    // Spreadsheets evaluate a cell that starts like a formula.
    saveFile('findings.csv', new Blob([unparse(table, { escapeFormulae: true })], { type: 'text/csv' }))
  }
  return (
    <>
      <p className="small" role="status">
        {end
          ? `${plural(rows.length, 'text')} in ${formatDuration(end.durationMs)}`
          : `${formatCount(rows.length)} of ${plural(start?.total ?? 0, 'text')}`}
        {start && (
          <span className="soft">
            {' · text from '}
            <span className="code">{start.textField}</span>
            {start.labelField !== undefined && (
              <>
                {', label from '}
                <span className="code">{start.labelField}</span>
              </>
            )}
          </span>
        )}
      </p>
      <TallyTable names={names} tallies={tallies} rowCount={rows.length} />
      <RowTable
        rows={shown}
        names={names}
        marks={marks}
        filter={filter}
        onFilter={setFilter}
        onMark={toggle}
        onSave={save}
      />
      {end && <CodeCard code={end.code} />}
    </>
  )
}
