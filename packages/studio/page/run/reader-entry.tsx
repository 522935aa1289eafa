import { memo } from 'react'
import type { ReaderEntry } from '../../src/wire.ts'
import { formatDuration, plural } from '../format/numbers.ts'
import type { Tone } from '../parts/outcome.tsx'
import { JsonView, TextView } from '../parts/text-view.tsx'

/** One event on the reader's screen. */
export const ReaderEntryView = memo(function ReaderEntryView({ entry }: { entry: ReaderEntry }) {
  return (
    <div className="entry" data-type={entry.event.type} data-tone={TONES[entry.event.type]}>
      <span className="entry-time number soft">{formatDuration(entry.atMs)}</span>
      <div className="entry-body">
        <EntryBody event={entry.event} />
      </div>
    </div>
  )
})

export const TONES: Partial<Record<ReaderEntry['event']['type'], Tone>> = {
  retracted: 'changed',
  replaced: 'changed',
  blocked: 'blocked',
  error: 'blocked',
  suspended: 'waiting',
  halted: 'held',
  finished: 'fine',
  'tool-error': 'blocked',
  'tool-denied': 'blocked',
}

export function EntryBody({ event }: Pick<ReaderEntry, 'event'>) {
  switch (event.type) {
    case 'text':
    case 'reasoning': {
      const text = <TextView text={event.text} />
      return (
        <>
          {event.type === 'reasoning' && <span className="part-label">reasoning</span>}
          {event.retracted ? (
            <s className="retracted">
              <span className="visually-hidden">Retracted: </span>
              {text}
            </s>
          ) : (
            text
          )}
          <span className="entry-note">
            {plural(event.chunks, 'chunk')}
            {event.retracted && ', shown and retracted'}
          </span>
        </>
      )
    }
    case 'tool-call':
      return (
        <div className={event.retracted ? 'retracted' : undefined}>
          <span className="part-label">calls {event.toolName}</span>
          <JsonView text={event.input} />
        </div>
      )
    case 'tool-result':
    case 'tool-error':
    case 'tool-denied':
      return (
        <>
          <span className="part-label">
            {event.toolName}:{' '}
            {{ 'tool-result': 'result', 'tool-error': 'error', 'tool-denied': 'denied' }[event.type]}
          </span>
          <JsonView text={event.value} />
        </>
      )
    case 'retracted':
      return (
        <Line
          title={event.retry ? 'Retracted and retried' : 'Taken back'}
          processorId={event.processorId}
          reason={event.reason}
        />
      )
    case 'replaced':
      return (
        <>
          <Line title="Shown text replaced by" />
          <TextView text={event.text} />
        </>
      )
    case 'data':
      return (
        <>
          <span className="part-label">{event.name}</span>
          <JsonView text={event.value} />
        </>
      )
    case 'file':
      return <span className="part-label">a file ({event.mediaType})</span>
    case 'source':
      return <span className="part-label">source: {event.title}</span>
    case 'blocked':
      return <Line title="Blocked" processorId={event.processorId} reason={event.reason} />
    case 'suspended':
      return <Line title="Suspended" processorId={event.processorId} />
    case 'halted':
      return (
        <Line
          title="A guard answered in the model's place"
          processorId={event.processorId}
          reason={event.reason}
        />
      )
    case 'aborted':
      return <Line title="Aborted" />
    case 'finished':
      return <Line title="Finished" />
    case 'error':
      return <Line title="Failed" reason={event.message} />
    default:
      return event satisfies never
  }
}

interface LineProps {
  title: string
  processorId?: string | undefined
  reason?: string | undefined
}

function Line({ title, processorId, reason }: LineProps) {
  return (
    <p className="entry-line">
      <strong>{title}</strong>
      {processorId !== undefined && <span className="code">{processorId}</span>}
      {reason !== undefined && reason !== '' && <span className="soft">{reason}</span>}
    </p>
  )
}
