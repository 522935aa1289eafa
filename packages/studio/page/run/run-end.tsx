import { Link } from 'wouter'
import type { RunDetail } from '../../src/wire.ts'
import { STATES } from '../parts/outcome.tsx'

/** Why a run did not complete, and what to do. */
export function RunEndNotice({ run: { state, end, warnings, truncated } }: { run: RunDetail }) {
  const { Icon, label, tone } = STATES[state]
  return (
    <>
      {end && (
        <p className="notice" data-tone={tone}>
          <Icon aria-hidden size={15} />
          <span>
            <strong>{label}</strong>
            {end.processorId !== undefined && (
              <>
                {' by '}
                <span className="code">{end.processorId}</span>
              </>
            )}
            {end.reason !== '' && `: ${end.reason}`}
            {end.code !== undefined && ` (${end.code})`}
          </span>
          {state === 'suspended' && (
            <Link href="/waiting" className="button">
              Answer it
            </Link>
          )}
        </p>
      )}
      {warnings.length > 0 && (
        <ul className="notice warnings" data-tone="changed" aria-label="Warnings">
          {warnings.map((warning, index) => (
            <li key={`${index}-${warning}`}>{warning}</li>
          ))}
        </ul>
      )}
      {truncated && (
        <p className="notice" data-tone="quiet">
          The run has more events than Studio records: the last ones are missing.
        </p>
      )}
    </>
  )
}
