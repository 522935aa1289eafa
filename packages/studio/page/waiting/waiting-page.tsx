import { Coffee } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useInfo, useSuspended } from '../api/queries.ts'
import { Empty, ErrorNotice, Loading } from '../parts/empty.tsx'
import { addressOf } from '../run/run-links.tsx'
import { WaitingCard } from './waiting-card.tsx'

/** The suspended runs. */
export function WaitingPage() {
  const waiting = useSuspended()
  const info = useInfo()
  const [resumed, setResumed] = useState<string>()
  const runs = waiting.data?.runs ?? []
  return (
    <div className="page">
      <div className="page-head">
        <h1 className="page-title">Waiting runs</h1>
      </div>
      <div className="waiting stack">
        {info.data?.mode === 'file' && (
          <p className="notice" data-tone="waiting">
            Studio reads a file. To answer, open Studio from the process that runs the agents.
          </p>
        )}
        <p role="status">
          {resumed !== undefined && (
            <span className="notice" data-tone="fine">
              <span>Answered. The run continues.</span>
              <Link href={addressOf(resumed)} className="button">
                Follow the run
              </Link>
            </span>
          )}
        </p>
        {waiting.error && <ErrorNotice error={waiting.error} onRetry={() => void waiting.refetch()} />}
        {waiting.isPending && <Loading label="Loading waiting runs" />}
        {waiting.isSuccess && runs.length === 0 && (
          <Empty Icon={Coffee} title="No waiting runs">
            <p>
              Runs that wait for an approval, data or the output of a tool are listed here until they are
              resumed.
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
