import type { Library } from '../library.ts'
import type { ReaderEntry, RunEvents } from '../wire.ts'
import { changesOf } from './changes.ts'
import type { Send } from './events.ts'

/** Milliseconds to wait for the record of a run that has just started. */
const RECORD_TIMEOUT = 5_000

export interface FollowOptions {
  signal: AbortSignal
  revealed: boolean
}

/** Sends a run and then its changes, until it ends or the client disconnects. */
export async function followRun(
  library: Library,
  runId: string,
  send: Send<RunEvents>,
  { signal, revealed }: FollowOptions,
): Promise<void> {
  // Subscribe before the run is read, so that no change is missed.
  const changes = changesOf(library, { signal, runId })
  const opened = await library.open(runId, { revealed })
  const { view } = opened
  let { next, options } = opened
  const sent = new Map<string, string>()
  let sentEntries = 0

  /** Sends a part of the run if it differs from the last one sent. */
  const sendChanged = async <NAME extends keyof RunEvents>(
    name: NAME,
    data: RunEvents[NAME],
    key: string = name,
  ): Promise<void> => {
    const json = JSON.stringify(data)
    if (sent.get(key) === json) return
    sent.set(key, json)
    await send(name, data)
  }

  const detail = view.detail(options, await library.relatedTo(runId))
  await send('run', detail)
  if (options.row.state !== 'running') return send('end', detail)
  for (const step of detail.steps) sent.set(`step ${step.stepNumber}`, JSON.stringify(step))
  sent.set('before', JSON.stringify(detail.before))
  sent.set('after', JSON.stringify(detail.after))
  sentEntries = view.reader.firstOpen

  for await (const { deleted } of changes) {
    if (deleted.includes(runId)) return
    const more = library.store.events(runId, next)
    next = more.next
    for (const event of more.events) view.add(event)
    const row = library.rowOf(runId)
    options = { ...options, row, hidden: await library.hiddenIn(row) }
    if (row.state !== 'running') return send('end', view.detail(options, await library.relatedTo(runId)))
    const summary = await library.summary(runId)
    if (summary) await sendChanged('summary', summary)
    await sendChanged('before', view.before(options))
    for (const step of view.steps(options)) await sendChanged('step', step, `step ${step.stepNumber}`)
    await sendChanged('after', view.after(options))
    const entries: ReaderEntry[] = view.reader.entries(view.shown(options), sentEntries)
    if (entries.length > 0) await sendChanged('reader', entries)
    sentEntries = view.reader.firstOpen
  }
}

/** Resolves when the start of a run is recorded: events are delivered after the run has started. */
export async function recorded(library: Library, runId: string): Promise<void> {
  const left = new AbortController()
  const changes = changesOf(library, { signal: left.signal, runId })
  const late = setTimeout(() => left.abort(), RECORD_TIMEOUT)
  try {
    library.flush()
    if (library.store.get(runId)) return
    for await (const _ of changes) if (library.store.get(runId)) return
  } finally {
    clearTimeout(late)
    left.abort()
  }
}
