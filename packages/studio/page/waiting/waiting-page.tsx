import { Coffee } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useInfo, useSuspended } from '../api/queries.ts'
import { Empty, ErrorNotice, Loading } from '../parts/empty.tsx'
import { addressOf } from '../run/run-links.tsx'
import { WaitingCard } from './waiting-card.tsx'

/** Runs that wait for a person. */
export function WaitingPage() {
  const waiting = useSuspended()
  const info = useInfo()
  const [resumed, setResumed] = useState<string>()
  const runs = waiting.data?.runs ?? []
  return (
    <div className="page">
      <div className="page-head">
        <h1 className="page-title">Waiting for an answer</h1>
      </div>
      <div className="waiting stack">
        {info.data?.mode === 'file' && (
          <p className="notice" data-tone="waiting">
            Studio reads a file here. To answer, open Studio from the process that runs the agents.
          </p>
        )}
        <p role="status">
          {resumed !== undefined && (
            <span className="notice" data-tone="fine">
              <span>Answered. The run goes on.</span>
              <Link href={addressOf(resumed)} className="button">
                Watch it
              </Link>
            </span>
          )}
        </p>
        {waiting.error && <ErrorNotice error={waiting.error} onRetry={() => void waiting.refetch()} />}
        {waiting.isPending && <Loading label="Reading what waits" />}
        {waiting.isSuccess && runs.length === 0 && (
          <Empty Icon={Coffee} title="Nothing waits for you">
            <p>
              Runs that ask for an approval, an answer, or the output of a tool stand here until they are
              answered.
            </p>
          </Empty>
        )}
        {runs.map((run) => (
          <WaitingCard
            key={run.runId}
            run={run}
            isReadOnly={info.data?.mode === 'file'}
            onResumed={setResumed}
          />
        ))}
      </div>
    </div>
  )
}
