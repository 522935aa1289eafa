import { LoaderCircle } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { ReaderEntry } from '../../src/wire.ts'
import { useSuspended } from '../api/queries.ts'
import { formatCost, formatDuration } from '../format/numbers.ts'
import { ErrorNotice } from '../parts/empty.tsx'
import { Badge, OUTCOMES, STATES } from '../parts/outcome.tsx'
import { TextView } from '../parts/text-view.tsx'
import { EntryBody, TONES } from '../run/reader-entry.tsx'
import { addressOf } from '../run/run-links.tsx'
import { AnswerForm } from '../waiting/answer-form.tsx'
import type { Turn } from './conversation.ts'

interface TurnListProps {
  turns: readonly Turn[]
  isBusy: boolean
  onResumed: (runId: string) => void
}

export function TurnList({ turns, isBusy, onResumed }: TurnListProps) {
  const frame = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (turns.length > 0 && isAtEnd.current) frame.current?.scrollTo({ top: frame.current.scrollHeight })
  }, [turns])
  return (
    <section
      ref={frame}
      className="talk"
      aria-label="Conversation"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: without it the keyboard cannot scroll it.
      tabIndex={0}
      onScroll={({ currentTarget }) => {
        const { scrollTop, scrollHeight, clientHeight } = currentTarget
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 40
      }}
    >
      <ol className="turns">
        {turns.map((turn, index) => (
          <li key={`${index}-${turn.question}`} className="turn">
            {turn.question !== undefined && <p className="said">{turn.question}</p>}
            <Answer turn={turn} isLast={index === turns.length - 1} onResumed={onResumed} />
          </li>
        ))}
      </ol>
      <p role="status" className="visually-hidden">
        {isBusy ? 'Answering.' : 'The answer is complete.'}
      </p>
    </section>
  )
}

interface AnswerProps {
  turn: Turn
  isLast: boolean
  onResumed: (runId: string) => void
}

function Answer({ turn, isLast, onResumed }: AnswerProps) {
  const { entries, end, error, runId } = turn
  return (
    <div className="answer">
      {entries.map((entry) => (
        <Part key={entry.seq} entry={entry} />
      ))}
      {error !== undefined && <ErrorNotice error={new Error(error)} />}
      {isLast && end?.state === 'suspended' && <Question runId={end.id} onResumed={onResumed} />}
      <p className="turn-foot">
        {!end && error === undefined && (
          <LoaderCircle aria-label="Answering" size={14} className="spinning" />
        )}
        {end && end.state !== 'completed' && <Badge look={STATES[end.state]} />}
        {end?.acted.map(({ processorId, outcome }) => {
          const { Icon, label, tone } = OUTCOMES[outcome]
          return (
            <span key={`${processorId} ${outcome}`} className="badge" data-tone={tone}>
              <Icon role="img" aria-label={label} size={12} strokeWidth={2.4} />
              <span>{processorId}</span>
            </span>
          )
        })}
        {end?.durationMs !== undefined && <span className="number">{formatDuration(end.durationMs)}</span>}
        {end?.cost && <span className="number">{formatCost(end.cost)}</span>}
        {runId !== undefined && <Link href={addressOf(runId)}>Open the run</Link>}
      </p>
    </div>
  )
}

const CARDS: ReadonlySet<ReaderEntry['event']['type']> = new Set([
  'tool-call',
  'tool-result',
  'tool-error',
  'tool-denied',
  'data',
])

function Part({ entry: { event } }: { entry: ReaderEntry }) {
  if (event.type === 'finished') return null
  if (event.type === 'text' && !event.retracted) {
    return (
      <div className="part">
        <TextView text={event.text} />
      </div>
    )
  }
  return (
    <div className="part" data-tone={TONES[event.type]} data-card={CARDS.has(event.type) || undefined}>
      <EntryBody event={event} />
    </div>
  )
}

/** The form for the suspended run. */
function Question({ runId, onResumed }: { runId: string; onResumed: (runId: string) => void }) {
  const waiting = useSuspended()
  const run = waiting.data?.runs.find((each) => each.runId === runId)
  if (waiting.error) return <ErrorNotice error={waiting.error} onRetry={() => void waiting.refetch()} />
  if (!run) return waiting.isFetching ? null : <p className="soft small">The run is no longer suspended.</p>
  return (
    <section className="card card-body stack" aria-label="The run is suspended">
      <AnswerForm run={run} onResumed={onResumed} />
    </section>
  )
}
