import { ChevronLeft } from 'lucide-react'
import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import type { ProcessorNode, RunDetail } from '../../src/wire.ts'
import { useRunDetail } from '../api/queries.ts'
import { useLiveRun } from '../api/use-live-run.ts'
import { formatCost, formatCount, formatDuration, tokenTotal } from '../format/numbers.ts'
import { Difference } from '../parts/difference.tsx'
import { ErrorNotice, Loading } from '../parts/empty.tsx'
import { Badge, OUTCOMES, STATES } from '../parts/outcome.tsx'
import { RunEndNotice } from '../run/run-end.tsx'
import { addressOf } from '../run/run-links.tsx'
import { questionOf } from '../runs/run-row.tsx'
import { alignRuns, isSame } from './align-runs.ts'
import { differenceOf } from './text-difference.ts'

/** Compares two runs, such as a run and its replay. */
export function ComparePage({ leftId, rightId }: { leftId: string; rightId: string }) {
  const left = useRunDetail(leftId)
  const right = useRunDetail(rightId)
  useLiveRun(left.data, false)
  useLiveRun(right.data, false)
  const error = left.error ?? right.error
  return (
    <div className="page">
      <div className="page-head">
        <Link href={addressOf(leftId)} className="icon-button" aria-label="Back to the run">
          <ChevronLeft aria-hidden size={18} />
        </Link>
        <h1 className="page-title">Compare runs</h1>
      </div>
      {error && (
        <ErrorNotice
          error={error}
          onRetry={() => {
            void left.refetch()
            void right.refetch()
          }}
        />
      )}
      {left.data && right.data ? (
        <Comparison left={left.data} right={right.data} />
      ) : (
        !error && <Loading label="Loading both runs" />
      )}
    </div>
  )
}

function Comparison({ left, right }: { left: RunDetail; right: RunDetail }) {
  const isReplay = right.replayOf === left.id
  const [before, after] = [left.text?.text ?? '', right.text?.text ?? '']
  const difference = useMemo(() => differenceOf(before, after), [before, after])
  const parts = useMemo(() => alignRuns(left, right), [left, right])
  return (
    <div className="compare stack">
      <div className="sides">
        <Side run={left} title={isReplay ? 'Original' : 'Left'} />
        <Side run={right} title={isReplay ? 'Replay' : 'Right'} />
      </div>
      <section className="card" aria-label="Figures">
        <Table left={left} right={right} />
      </section>
      <section className="card" aria-label="Answers">
        <header className="card-head">
          <h2>Answers</h2>
          <span className="soft small">
            {before === after ? (before === '' ? 'No answers' : 'The same') : 'Difference from left to right'}
          </span>
        </header>
        {(before !== '' || after !== '') && (
          <div className="card-body">
            <Difference parts={difference} isWhole />
          </div>
        )}
      </section>
      <section className="card" aria-label="Processors">
        <header className="card-head">
          <h2>Processors</h2>
        </header>
        {parts.length === 0 && <p className="card-body soft small">Neither run has processors.</p>}
        {parts.map(({ title, nodes }) => (
          <div key={title} className="aligned">
            <h3>{title}</h3>
            <ul>
              {nodes.map((node, index) => (
                <li
                  key={`${index}-${node.processorId}`}
                  className="aligned-gate"
                  data-differs={!isSame(node) || undefined}
                >
                  <NodeSide runId={left.id} node={node.left} />
                  <span className="aligned-name">
                    <span className="cut">{node.processorId}</span>
                    <span className="node-hook code">{node.hook}</span>
                  </span>
                  <NodeSide runId={right.id} node={node.right} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </section>
    </div>
  )
}

function Side({ run, title }: { run: RunDetail; title: string }) {
  return (
    <section className="card" aria-label={title}>
      <header className="card-head">
        <h2>{title}</h2>
        <Badge look={STATES[run.state]} />
        <Link href={addressOf(run.id)} className="small side-link">
          Open
        </Link>
      </header>
      <div className="card-body stack">
        <p className="small">{questionOf(run)}</p>
        <RunEndNotice run={run} />
      </div>
    </section>
  )
}

function NodeSide({ runId, node }: { runId: string; node: ProcessorNode | undefined }) {
  if (!node) return <span className="soft small aligned-side">missing</span>
  return (
    <span className="aligned-side">
      <Link href={`${addressOf(runId)}?node=${encodeURIComponent(node.id)}`} className="aligned-link">
        <Badge look={OUTCOMES[node.outcome]} />
      </Link>
      <span className="soft small number">{formatDuration(node.durationMs)}</span>
    </span>
  )
}

function Table({ left, right }: { left: RunDetail; right: RunDetail }) {
  const row = (label: string, read: (run: RunDetail) => ReactNode) => (
    <tr>
      <th scope="row">{label}</th>
      <td>{read(left) ?? '–'}</td>
      <td>{read(right) ?? '–'}</td>
    </tr>
  )
  const count = (number: number | undefined) => (number === undefined ? undefined : formatCount(number))
  const time = (number: number | undefined) => (number === undefined ? undefined : formatDuration(number))
  return (
    <table className="compare-table">
      <thead>
        <tr>
          <td />
          <th scope="col">Left</th>
          <th scope="col">Right</th>
        </tr>
      </thead>
      <tbody>
        {row('Models', ({ models }) => models.join(', ') || undefined)}
        {row('Time', ({ durationMs }) => time(durationMs))}
        {row('First chunk', ({ timeToFirstChunkMs }) => time(timeToFirstChunkMs))}
        {row('Tokens', ({ usage }) => count(tokenTotal(usage)))}
        {row('Cost', ({ cost }) => cost && formatCost(cost))}
        {row('Steps', ({ stepCount }) => count(stepCount))}
        {row('Tool calls', ({ toolCallCount }) => count(toolCallCount))}
        {row('Taken back', ({ retractions }) => count(retractions))}
        {row(
          'Found',
          ({ findings }) => findings.map((each) => `${each.count} ${each.kind}`).join(', ') || 'nothing',
        )}
      </tbody>
    </table>
  )
}
