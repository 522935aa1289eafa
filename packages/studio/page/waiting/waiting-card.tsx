import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Released, ROUTES, type SuspendedView, type WaitingCall } from '../../src/wire.ts'
import { KEYS } from '../api/queries.ts'
import { request } from '../api/request.ts'
import { plural } from '../format/numbers.ts'
import { formatAgo, formatMoment } from '../format/times.ts'
import { ErrorNotice } from '../parts/empty.tsx'
import { addressOf } from '../run/run-links.tsx'
import { useNow } from '../use-now.ts'
import { AnswerForm } from './answer-form.tsx'

interface WaitingCardProps {
  run: SuspendedView
  isReadOnly: boolean
  onResumed: (runId: string) => void
}

const TITLES: Readonly<Record<NonNullable<WaitingCall['waitsFor']>, string>> = {
  approval: 'Asks for your approval',
  output: 'Waits for a tool output',
  outcome: 'Was interrupted during tool calls',
  answer: 'Asks for an answer',
}

function titleOf(waitsFor: SuspendedView['waitsFor']): string {
  if (waitsFor.type !== 'calls') return waitsFor.type === 'data' ? TITLES.answer : 'Was interrupted'
  const [kind, ...others] = new Set(waitsFor.calls.map((call) => call.waitsFor))
  return kind && others.length === 0 ? TITLES[kind] : 'Waits for several answers'
}

export function WaitingCard({ run, isReadOnly, onResumed }: WaitingCardProps) {
  const now = useNow(10_000)
  const queries = useQueryClient()
  const release = useMutation({
    mutationFn: () => request<Released>(ROUTES.release, { params: { runId: run.runId } }),
    onSettled: () => queries.invalidateQueries({ queryKey: KEYS.suspended }),
  })
  const title = `${run.agentName}: ${titleOf(run.waitsFor)}`
  return (
    <article className="card" aria-label={title}>
      <header className="card-head">
        <h2>{title}</h2>
        <p className="soft small">
          since <time title={formatMoment(run.createdAt)}>{formatAgo(run.createdAt, now)}</time>, expires{' '}
          <time title={formatMoment(run.expiresAt)}>{formatAgo(run.expiresAt, now)}</time>
          {run.processorId !== undefined && (
            <>
              {' · stopped by '}
              <span className="code">{run.processorId}</span>
            </>
          )}
          {run.interrupted && ` · ${plural(run.interrupted.attempts, 'attempt')} so far`}
        </p>
      </header>
      <div className="card-body stack">
        <AnswerForm run={run} isReadOnly={isReadOnly} onResumed={onResumed} />
        {release.error && <ErrorNotice error={release.error} />}
        <div className="row spread">
          {run.recorded ? (
            <Link href={addressOf(run.runId)} className="small">
              Open the run
            </Link>
          ) : (
            <span className="soft small">Studio has not recorded this run.</span>
          )}
          <button
            type="button"
            className="button quiet"
            disabled={isReadOnly || release.isPending}
            onClick={() => release.mutate()}
          >
            Release the run
          </button>
        </div>
      </div>
    </article>
  )
}
