import { isRecord } from '@millrace/core'
import type { Library } from '../library.ts'
import { boundedCopy } from '../record/bounded-copy.ts'
import { foldFacts } from '../record/fold-facts.ts'
import type { RecordStore } from '../record/record-store.ts'
import type { RecordedEvent } from '../record/recorded-event.ts'
import { newFacts, type RunRow } from '../record/run-row.ts'
import { StudioError } from '../studio-error.ts'
import { ValueMask } from '../view/hidden-values.ts'
import { RunView } from '../view/run-view.ts'

/** The format of an exported run. */
interface ExportedRun {
  format: 'millrace-run'
  version: 1
  id: string
  agentName: string
  threadId?: string
  resourceId?: string
  startedAt: number
  events: RecordedEvent[]
}

/** A run as a file that another Studio can import. Found values are hidden, unless `reveal` is set. */
export async function exportJson(
  library: Library,
  runId: string,
  { revealed }: { revealed: boolean },
): Promise<string> {
  const { options } = await library.open(runId, { revealed })
  const { row, hidden } = options
  const mask = new ValueMask(revealed ? [] : hidden)
  const exported: ExportedRun = {
    format: 'millrace-run',
    version: 1,
    id: row.id,
    agentName: row.agentName,
    ...(row.threadId !== undefined && { threadId: row.threadId }),
    ...(row.resourceId !== undefined && { resourceId: row.resourceId }),
    startedAt: row.startedAt,
    events: library.store.events(runId).events,
  }
  return JSON.stringify(exported, (_key, value) => (typeof value === 'string' ? mask.hide(value) : value), 1)
}

/**
 * Imports an exported run.
 *
 * @returns The id of the run: a new one, if a run with the same id exists
 * @throws StudioError `REQUEST_INVALID`
 */
export function importJson(store: RecordStore, processId: string, exported: unknown): string {
  const run = readExported(exported)
  const id = store.get(run.id) ? crypto.randomUUID() : run.id
  const row: RunRow = {
    id,
    agentName: run.agentName,
    ...(run.threadId !== undefined && { threadId: run.threadId }),
    ...(run.resourceId !== undefined && { resourceId: run.resourceId }),
    state: 'interrupted',
    startedAt: run.startedAt,
    imported: true,
    processId,
    facts: newFacts(),
  }
  try {
    const view = new RunView()
    for (const event of run.events) {
      view.add(event)
      foldFacts(row, event)
    }
    // Refuse events that cannot be displayed.
    const options = { row, hidden: [], revealed: true, prices: undefined }
    view.detail(options, { nested: [], attempts: [], replays: [] })
  } catch (cause) {
    throw invalid(`its events cannot be read: ${(cause as Error).message}`)
  }
  row.facts.events = run.events.length
  store.write({
    rows: [row],
    events: run.events.map((event, seq) => ({ runId: id, seq, json: JSON.stringify(event) })),
    children: [],
  })
  return id
}

function readExported(exported: unknown): ExportedRun {
  if (!isRecord(exported) || exported.format !== 'millrace-run') throw invalid('it is not an exported run')
  if (exported.version !== 1)
    throw invalid(`it has version ${String(exported.version)}, and this Studio reads version 1`)
  const { id, agentName, threadId, resourceId, startedAt, events } = exported
  if (typeof id !== 'string' || id === '' || id.length > 200) throw invalid('it has no id')
  if (typeof agentName !== 'string' || agentName.length > 200) throw invalid('it has no agentName')
  if (typeof startedAt !== 'number' || !Number.isFinite(startedAt)) throw invalid('it has no startedAt')
  if (!Array.isArray(events) || !events.every(isEvent)) throw invalid('its events are not a list of events')
  return {
    format: 'millrace-run',
    version: 1,
    id,
    agentName,
    ...(typeof threadId === 'string' && { threadId }),
    ...(typeof resourceId === 'string' && { resourceId }),
    startedAt,
    events: events.map((event) => boundedCopy(event)),
  }
}

function isEvent(event: unknown): event is RecordedEvent {
  return isRecord(event) && typeof event.name === 'string' && typeof event.at === 'number'
}

function invalid(why: string): StudioError {
  return new StudioError(
    'REQUEST_INVALID',
    `The file cannot be imported: ${why}. Choose a file that Studio exported as JSON.`,
  )
}
