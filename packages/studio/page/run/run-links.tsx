import { Columns2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RunDetail, RunSummary } from '../../src/wire.ts'
import { formatDuration, plural } from '../format/numbers.ts'
import { Badge, STATES } from '../parts/outcome.tsx'
import { questionOf } from '../runs/run-row.tsx'

/** The related runs. */
export function RunLinks({ run }: { run: RunDetail }) {
  const attempts = run.attempts.length > 1 ? run.attempts : []
  return (
    <div className="run-links">
      {run.parent && (
        <p className="small">
          Called by another agent: <Link href={addressOf(run.parent.runId)}>open the parent run</Link>
        </p>
      )}
      {run.replayOf !== undefined && (
        <p className="row small">
          A replay.
          <Link href={compareAddress(run.replayOf, run.id)} className="button">
            <Columns2 aria-hidden size={14} /> Compare with the original
          </Link>
        </p>
      )}
      {attempts.length > 0 && (
        <Group title={`${plural(attempts.length, 'attempt')} of one run`} runs={attempts}>
          {(each) => (each.id === run.id ? <span className="soft small">this one</span> : null)}
        </Group>
      )}
      {run.nested.length > 0 && <Group title="Runs of called agents" runs={run.nested} />}
      {run.replays.length > 0 && (
        <Group title="Replays" runs={run.replays}>
          {(replay) => (
            <Link href={compareAddress(run.id, replay.id)} className="small">
              compare
            </Link>
          )}
        </Group>
      )}
    </div>
  )
}

interface GroupProps {
  title: string
  runs: readonly RunSummary[]
  children?: (run: RunSummary) => ReactNode
}

function Group({ title, runs, children }: GroupProps) {
  return (
    <section className="run-group" aria-label={title}>
      <h2 className="small">{title}</h2>
      <ul>
        {runs.map((run) => (
          <li key={run.id} className="row">
            <Badge look={STATES[run.state]} />
            <Link href={addressOf(run.id)} className="cut small">
              {run.agentName}: {questionOf(run)}
            </Link>
            {run.durationMs !== undefined && (
              <span className="soft small number">{formatDuration(run.durationMs)}</span>
            )}
            {children?.(run)}
          </li>
        ))}
      </ul>
    </section>
  )
}

export const addressOf = (runId: string): string => `/runs/${encodeURIComponent(runId)}`

export const compareAddress = (left: string, right: string): string =>
  `/compare/${encodeURIComponent(left)}/${encodeURIComponent(right)}`
