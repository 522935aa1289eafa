import { CornerDownRight, History, Repeat2, Undo2 } from 'lucide-react'
import { type CSSProperties, memo } from 'react'
import { Link } from 'wouter'
import type { RunSummary } from '../../src/wire.ts'
import { formatCost, formatCount, formatDuration, formatShortCount, tokenTotal } from '../format/numbers.ts'
import { formatAgo, formatMoment } from '../format/times.ts'
import { Badge, OUTCOMES, STATES } from '../parts/outcome.tsx'

interface RunRowProps {
  run: RunSummary
  /** From 0. */
  index: number
  now: number
  style: CSSProperties
}

export const RunRow = memo(function RunRow({ run, index, now, style }: RunRowProps) {
  const tokens = tokenTotal(run.usage)
  return (
    <tr className="run-row" aria-rowindex={index + 2} style={style}>
      <td>
        <Badge look={STATES[run.state]} />
      </td>
      <td className="run-question">
        <Origin run={run} />
        <Link href={`/runs/${encodeURIComponent(run.id)}`} className="run-link cut">
          {questionOf(run)}
        </Link>
      </td>
      <td className="run-agent cut soft">{run.agentName}</td>
      <td className="run-acted">
        <Acts run={run} />
      </td>
      <td className="run-number number">{tokens === undefined ? '' : formatShortCount(tokens)}</td>
      <td className="run-number number">{run.cost ? formatCost(run.cost) : ''}</td>
      <td className="run-number number">
        {run.durationMs === undefined ? '' : formatDuration(run.durationMs)}
      </td>
      <td className="run-number number soft">
        <time dateTime={new Date(run.startedAt).toISOString()} title={formatMoment(run.startedAt)}>
          {formatAgo(run.startedAt, now)}
        </time>
      </td>
    </tr>
  )
})

/** The question of a run, or its id if there is none. */
export function questionOf({ input, id }: Pick<RunSummary, 'input' | 'id'>): string {
  return input?.trim() || id
}

/** The origin of a run that a user has not started. */
function Origin({ run }: { run: RunSummary }) {
  const [Icon, title] = run.parent
    ? ([CornerDownRight, 'Called by another agent'] as const)
    : run.replayOf !== undefined
      ? ([Repeat2, 'A replay'] as const)
      : run.resumedFrom !== undefined
        ? ([History, 'Resumed'] as const)
        : []
  return Icon ? <Icon role="img" aria-label={title} size={13} className="soft origin" /> : null
}

/** The processors that acted, each with its outcome. */
function Acts({ run: { acted, findings, retractions } }: { run: RunSummary }) {
  const found = findings.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      {acted.slice(0, 2).map(({ processorId, outcome }) => {
        const { Icon, label, tone } = OUTCOMES[outcome]
        return (
          <span
            key={`${processorId} ${outcome}`}
            className="badge"
            data-tone={tone}
            title={`${label}: ${processorId}`}
          >
            <Icon aria-label={label} role="img" size={12} strokeWidth={2.4} />
            <span>{processorId}</span>
          </span>
        )
      })}
      {acted.length > 2 && <span className="badge">+{acted.length - 2}</span>}
      {found > 0 && (
        <span
          className="soft small"
          title={findings.map(({ kind, count }) => `${count} × ${kind}`).join(', ')}
        >
          {formatCount(found)} found
        </span>
      )}
      {retractions > 0 && (
        <span className="soft small row-retractions">
          <Undo2 role="img" aria-label="Taken back" size={12} /> {formatCount(retractions)}
        </span>
      )}
    </>
  )
}
