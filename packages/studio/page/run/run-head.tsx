import { Switch } from '@base-ui/react/switch'
import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { RunDetail, RunSummary } from '../../src/wire.ts'
import { formatCost, formatCount, formatDuration, plural, tokenTotal } from '../format/numbers.ts'
import { formatMoment } from '../format/times.ts'
import { Badge, STATES } from '../parts/outcome.tsx'
import { questionOf } from '../runs/run-row.tsx'
import { RunActions } from './run-actions.tsx'
import { RunEndNotice } from './run-end.tsx'
import { RunLinks } from './run-links.tsx'

interface RunHeadProps {
  run: RunDetail
  isRevealed: boolean
  onReveal: (isRevealed: boolean) => void
}

export function RunHead({ run, isRevealed, onReveal }: RunHeadProps) {
  return (
    <header className="run-top">
      <div className="page-head">
        <Link href="/" className="icon-button" aria-label="All runs">
          <ChevronLeft aria-hidden size={18} />
        </Link>
        <h1 className="page-title cut" title={questionOf(run)}>
          {questionOf(run)}
        </h1>
        <Badge look={STATES[run.state]} />
        <div className="row">
          {/* biome-ignore lint/a11y/noLabelWithoutControl: the switch of the library is the control. */}
          <label className="check">
            <Switch.Root className="switch" checked={isRevealed} onCheckedChange={onReveal}>
              <Switch.Thumb className="switch-thumb" />
            </Switch.Root>
            Show found values
          </label>
          <RunActions run={run} isRevealed={isRevealed} />
        </div>
      </div>
      <p className="run-origin soft small">
        <strong>{run.agentName}</strong> · {formatMoment(run.startedAt)}
        {run.threadId !== undefined && (
          <>
            {' · thread '}
            <Link href={`/?threadId=${encodeURIComponent(run.threadId)}`}>{run.threadId}</Link>
          </>
        )}
        {run.resourceId !== undefined && (
          <>
            {' · resource '}
            <Link href={`/?resourceId=${encodeURIComponent(run.resourceId)}`}>{run.resourceId}</Link>
          </>
        )}
        {' · '}
        <span className="code">{run.id}</span>
      </p>
      <Figures run={run} />
      <RunEndNotice run={run} />
      <RunLinks run={run} />
    </header>
  )
}

/** The figures of a run: time, tokens, cost. */
function Figures({ run }: { run: RunSummary }) {
  const tokens = tokenTotal(run.usage)
  const { inputTokens, outputTokens } = run.usage
  const found = run.findings.reduce((sum, { count }) => sum + count, 0)
  return (
    <dl className="figures">
      <Figure label="Time">
        {run.durationMs === undefined ? 'running' : formatDuration(run.durationMs)}
      </Figure>
      {run.timeToFirstChunkMs !== undefined && (
        <Figure label="First chunk">{formatDuration(run.timeToFirstChunkMs)}</Figure>
      )}
      {tokens !== undefined && (
        <Figure
          label="Tokens"
          more={
            inputTokens !== undefined && outputTokens !== undefined
              ? `${formatCount(inputTokens)} in, ${formatCount(outputTokens)} out`
              : undefined
          }
        >
          {formatCount(tokens)}
        </Figure>
      )}
      {run.cost && <Figure label="Cost">{formatCost(run.cost)}</Figure>}
      <Figure label="Steps" more={run.toolCallCount > 0 ? plural(run.toolCallCount, 'tool call') : undefined}>
        {run.stepCount}
      </Figure>
      {found > 0 && (
        <Figure label="Found" more={run.findings.map(({ kind, count }) => `${count} ${kind}`).join(', ')}>
          {found}
        </Figure>
      )}
      {run.attempt !== undefined && <Figure label="Attempt">{run.attempt}</Figure>}
      {run.retractions > 0 && <Figure label="Taken back">{run.retractions}</Figure>}
      {run.models.length > 0 && (
        <Figure label={run.models.length === 1 ? 'Model' : 'Models'} isName>
          {run.models.join(', ')}
        </Figure>
      )}
    </dl>
  )
}

interface FigureProps {
  label: string
  more?: string | undefined
  isName?: boolean
  children: ReactNode
}

function Figure({ label, more, isName = false, children }: FigureProps) {
  return (
    <div className="figure">
      <dt>{label}</dt>
      <dd className={isName ? 'figure-name' : 'number'}>{children}</dd>
      {more !== undefined && <dd className="figure-more number">{more}</dd>}
    </div>
  )
}
